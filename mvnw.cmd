@echo off
rem Runs Maven for this project: mvnw verify
rem Uses %MAVEN_HOME%\bin\mvn.cmd, else the mvn.cmd on the PATH, 3.8 or newer, and says how to get one when there is none.
setlocal
set "mvn="
if defined MAVEN_HOME if exist "%MAVEN_HOME%\bin\mvn.cmd" set "mvn=%MAVEN_HOME%\bin\mvn.cmd"
rem Unlike "where" this leaves the current folder alone.
if not defined mvn for %%m in (mvn.cmd) do set "mvn=%%~$PATH:m"
if not defined mvn goto missing
rem Maven 3.9 reads MAVEN_ARGS itself and 3.8 does not: hand it over here, once.
set "args=%MAVEN_ARGS%"
set "MAVEN_ARGS="
rem No "call", which would expand percent signs of the arguments again: Maven ends in place of this script, with its own status.
"%mvn%" %args% %*

:missing
echo mvnw: no Maven found. Install Maven 3.8 or newer and put its bin folder on the PATH, or set MAVEN_HOME to it. 1>&2
echo       One way: choco install maven, or scoop install maven. 1>&2
exit /b 1

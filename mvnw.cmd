@echo off
rem Runs Maven for this project: mvnw verify
rem Uses %MAVEN_HOME%\bin\mvn.cmd, else the mvn.cmd on the PATH, and says how to get one when there is none.
setlocal
if defined MAVEN_HOME if exist "%MAVEN_HOME%\bin\mvn.cmd" (
  call "%MAVEN_HOME%\bin\mvn.cmd" %*
  goto end
)
where /q mvn.cmd
if not errorlevel 1 (
  call mvn.cmd %*
  goto end
)
echo mvnw: no Maven found. Install Maven 3.8 or newer and put its bin folder on the PATH, or set MAVEN_HOME to it. 1>&2
echo       One way: choco install maven, or scoop install maven. 1>&2
exit /b 1
:end
exit /b %errorlevel%

package dev.ringside;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** Holds the code to the package table of the architecture documentation and to the project's coding rules. */
@AnalyzeClasses(packages = "dev.ringside", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String ROOT = "dev.ringside";

    private static final Set<String> ALL = Set.of("gguf", "tokenizer", "chat", "gpu", "expert", "sequence", "model", "sampling", "engine",
            "serving", "api", "ops", "config", "cli", "download");

    /** What each package may use besides itself and libraries. Arrows point one way. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            Map.entry("gguf", Set.of()),
            Map.entry("tokenizer", Set.of("gguf")),
            Map.entry("chat", Set.of("tokenizer")),
            Map.entry("gpu", Set.of("gguf")),
            Map.entry("expert", Set.of("gpu", "gguf")),
            Map.entry("sequence", Set.of("gpu")),
            Map.entry("model", Set.of("gpu", "gguf", "expert", "sequence")),
            Map.entry("sampling", Set.of()),
            Map.entry("engine", Set.of("model", "sequence", "expert", "sampling", "tokenizer", "gpu")),
            Map.entry("serving", Set.of("engine", "chat", "sampling", "tokenizer")),
            Map.entry("api", Set.of("serving", "engine", "chat", "sampling", "tokenizer")),
            Map.entry("ops", Set.of("serving", "engine", "sampling", "model", "expert", "sequence", "gpu", "gguf")),
            Map.entry("download", Set.of()),
            Map.entry("config", ALL),
            Map.entry("cli", ALL));

    private static final Set<String> HIDDEN_REGEX = Set.of("matches", "replaceAll", "replaceFirst", "split", "splitWithDelimiters");

    @ArchTest
    static void packages_use_only_what_the_table_allows(JavaClasses ringside) {
        MAY_USE.forEach((name, used) -> classes().that().resideInAPackage(tree(name))
                .should().onlyDependOnClassesThat(resideInAnyPackage(trees(name, used)).or(resideOutsideOfPackage(ROOT + "..")))
                .because("the package table lets " + name + " use " + (used.isEmpty() ? "no other package" : new TreeSet<>(used)))
                .allowEmptyShould(true)
                .check(ringside));
    }

    @ArchTest
    static void every_package_has_a_row_in_the_table(JavaClasses ringside) {
        assertThat(ringside.stream().map(JavaClass::getPackageName).filter(name -> !name.equals(ROOT))
                .map(name -> name.substring(ROOT.length() + 1).split("\\.", 2)[0]))
                .as("packages of the sources")
                .isSubsetOf(MAY_USE.keySet());
    }

    @ArchTest
    static void every_package_is_null_marked(JavaClasses ringside) {
        assertThat(ringside.stream().map(JavaClass::getPackage).distinct().filter(each -> !each.isAnnotatedWith(NullMarked.class)))
                .as("packages without @NullMarked in package-info.java")
                .isEmpty();
    }

    @ArchTest
    static final ArchRule packages_form_no_cycles = slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().allowEmptyShould(true);

    @ArchTest
    static final ArchRule nobody_uses_the_main_class = noClasses().that().resideOutsideOfPackages(ROOT, tree("cli"))
            .should().dependOnClassesThat().resideInAPackage(ROOT)
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule only_the_outer_packages_know_Spring = noClasses()
            .that().resideOutsideOfPackages(ROOT, tree("api"), tree("ops"), tree("config"), tree("cli"))
            .should().dependOnClassesThat().resideInAPackage("org.springframework..")
            .because("the engine is a plain library")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule resilience4j_stays_around_the_engine = noClasses()
            .that().resideOutsideOfPackages(tree("serving"), tree("config"), tree("ops"), tree("api"), tree("expert"), tree("download"))
            .should().dependOnClassesThat().resideInAPackage("io.github.resilience4j..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule reactor_stays_outside_the_engine = noClasses()
            .that().resideOutsideOfPackages(tree("serving"), tree("api"), tree("ops"), tree("config"))
            .should().dependOnClassesThat().resideInAnyPackage("reactor..", "org.reactivestreams..")
            .because("the engine is one thread that talks in messages and snapshots")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule jcuda_stays_in_the_cuda_backend = noClasses().that().resideOutsideOfPackage(ROOT + ".gpu.cuda..")
            .should().dependOnClassesThat().resideInAPackage("jcuda..")
            .because("everything else must run on a machine with no CUDA driver")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule the_libraries_of_the_test_client_stay_in_tests = noClasses()
            .should().dependOnClassesThat()
            .resideInAnyPackage("com.openai..", "com.fasterxml.jackson.core..", "com.fasterxml.jackson.databind..", "okhttp3..", "okio..",
                    "kotlin..")
            .because("the application's JSON is Jackson 3 (tools.jackson) and its HTTP is WebFlux")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule text_from_users_meets_no_regular_expression = noClasses()
            .that().resideInAnyPackage(tree("tokenizer"), tree("chat"))
            .should().dependOnClassesThat().resideInAPackage("java.util.regex..")
            .orShould().callMethodWhere(describe("a String method that compiles a regular expression", ArchitectureTest::hidesRegex))
            .because("java.util.regex recurses on its input, and a long prompt would overflow the stack")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule only_the_command_line_prints = noClasses().that().resideOutsideOfPackage(tree("cli"))
            .should(ACCESS_STANDARD_STREAMS)
            .because("logs go through SLF4J")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule logs_go_through_slf4j = noClasses().should(USE_JAVA_UTIL_LOGGING).allowEmptyShould(true);

    @ArchTest
    static final ArchRule no_static_state = fields().that().areStatic().should().beFinal()
            .because("two engines may live in one process")
            .allowEmptyShould(true);

    private static boolean hidesRegex(JavaCall<?> call) {
        return call.getTargetOwner().isEquivalentTo(String.class) && HIDDEN_REGEX.contains(call.getName());
    }

    private static String tree(String name) {
        return ROOT + "." + name + "..";
    }

    private static String[] trees(String self, Set<String> others) {
        return Stream.concat(Stream.of(self), others.stream()).map(ArchitectureTest::tree).toArray(String[]::new);
    }
}

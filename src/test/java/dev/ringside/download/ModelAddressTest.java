package dev.ringside.download;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.ringside.download.ModelAddress.HubFile;
import dev.ringside.download.ModelAddress.LocalFile;
import dev.ringside.download.ModelAddress.Remote;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people write for a model. */
class ModelAddressTest {

    @Test
    void aPathIsAFile() {
        assertThat(ModelAddress.parse(" /models/a.gguf ")).isEqualTo(new LocalFile(Path.of("/models/a.gguf")));
    }

    @Test
    void aHubFileIsOfMainUnlessARevisionIsNamed() {
        assertThat(ModelAddress.parse("hf://Qwen/Qwen3-30B-A3B-GGUF/q4/a.gguf"))
                .isEqualTo(new HubFile("Qwen/Qwen3-30B-A3B-GGUF", "main", "q4/a.gguf"));
        assertThat(ModelAddress.parse("hf://Qwen/Qwen3-GGUF/a.gguf@v1.0")).isEqualTo(new HubFile("Qwen/Qwen3-GGUF", "v1.0", "a.gguf"));
        assertThat(ModelAddress.parse("hf://Qwen/Qwen3-GGUF@abc/a.gguf")).isEqualTo(new HubFile("Qwen/Qwen3-GGUF", "abc", "a.gguf"));
    }

    @Test
    void aHubFileLiesUnderResolve() {
        HubFile file = new HubFile("org/name", "refs/pr/1", "dir/a b.gguf");

        assertThat(file.at(URI.create("https://huggingface.co")))
                .hasToString("https://huggingface.co/org/name/resolve/refs%2Fpr%2F1/dir/a%20b.gguf");
    }

    @Test
    void filesOfASplitModelLieSideBySide() {
        Remote file = (Remote) ModelAddress.parse("https://example.org/m/big-00002-of-00003.gguf?x=1");

        assertThat(file.files()).extracting(Remote::fileName).containsExactly("big-00001-of-00003.gguf", "big-00002-of-00003.gguf",
                "big-00003-of-00003.gguf");
        assertThat(file.files()).extracting(each -> each.cachePath().getParent()).containsOnly(file.cachePath().getParent());
    }

    @Test
    void namesThatOnlyLookSplitAreWhole() {
        assertThat(SplitName.parse("big-00004-of-00003.gguf")).isNull();
        assertThat(SplitName.parse("-00001-of-00003.gguf")).isNull();
        assertThat(SplitName.parse("a-0000x-of-00003.gguf")).isNull();
        assertThat(SplitName.parse("a.gguf")).isNull();
    }

    @Test
    void theQueryIsNotShown() {
        assertThat(ModelAddress.parse("https://example.org/a.gguf?signature=secret").display()).isEqualTo("https://example.org/a.gguf");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hf://org/name", "hf://org//a.gguf", "hf://org/name/../../a.gguf", "hf://o rg/name/a.gguf", "ftp://host/a.gguf",
        "https://host", "https://host/dir/", "https://user:pass@host/a.gguf", "https://host/%2e%2e", "hf://org/name/a.gguf@..",
        "https://host/a..%2f..%5cb/..%5cc"})
    void otherAddressesAreRefused(String address) {
        assertThatIllegalArgumentException().isThrownBy(() -> ModelAddress.parse(address)).withMessageStartingWith("must ");
    }
}

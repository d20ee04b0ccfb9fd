package dev.ringside.gguf;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CodebookTest {

    static Stream<Arguments> tables() {
        return Stream.of(Arguments.of(Codebook.IQ2_XXS, "05826b5d3e472a3a78f196be62ac78acf81df0f909626e12ab9fa2a5d490dd54"),
                Arguments.of(Codebook.IQ2_XS, "06e47aaca60b4dc1d9b5a3f34540437058a6b142b4d7a59d5ded769b4d1bf1de"),
                Arguments.of(Codebook.IQ2_S, "e1aa1473412b0552c2174c30ef22ab4073f6a181b85a17056e8249bd2932fd88"),
                Arguments.of(Codebook.IQ3_XXS, "46e35f5a997efdee6c99ce57854c8a0d4f0ff8ca57e5e8a60c0793ea580acf5d"),
                Arguments.of(Codebook.IQ3_S, "bd1af4945a1717c65610b0284e4628b9a1ba3b306fae3a06f6e5f597356e349f"),
                Arguments.of(Codebook.IQ1, "07540ffc1aeaf6ad4d97e96b0fcc765aae39671d4ae4a27bbd0e796fde167c6a"));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void hasThePublishedDigest(Codebook codebook, String sha256) throws NoSuchAlgorithmException {
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(codebook.bytes()))).isEqualTo(sha256);
    }

    @ParameterizedTest
    @MethodSource("tables")
    void theNoticeBesideTheDataListsIt(Codebook codebook, String sha256) throws Exception {
        try (var stream = Codebook.class.getResourceAsStream("iq-codebooks.json")) {
            JsonNode notice = JsonMapper.shared().readTree(stream);
            assertThat(notice.get("notice").asString()).contains("MIT");
            assertThat(notice.get("tables").valueStream().map(table -> table.get("sha256").asString())).contains(sha256);
        }
    }
}

package dev.ringside.api;

import dev.ringside.tokenizer.SpecialTokens;
import dev.ringside.tokenizer.TokenStreamDecoder;
import dev.ringside.tokenizer.Tokenizer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

/** {@code POST /tokenize} and {@code POST /detokenize}: the model's tokenizer, with the fields of llama.cpp's server. */
@RestController
final class TokenizeController {

    static final KnownFields TOKENIZE = KnownFields.of("model", "content", "add_special", "parse_special", "with_pieces");
    static final KnownFields DETOKENIZE = KnownFields.of("model", "tokens");

    private final RequestBodies bodies;
    private final JsonBody json;
    private final Tokenizer tokenizer;
    private final String modelId;

    TokenizeController(RequestBodies bodies, JsonBody json, Tokenizer tokenizer, ApiSettings settings) {
        this.bodies = bodies;
        this.json = json;
        this.tokenizer = tokenizer;
        this.modelId = settings.modelId();
    }

    @PostMapping({"/tokenize", "/v1/tokenize"})
    Mono<Void> tokenize(ServerWebExchange exchange) {
        return bodies.read(exchange.getRequest())
                .flatMap(body -> JsonAnswer.write(exchange.getResponse(), json.write(tokens(JsonFields.root(body)))));
    }

    @PostMapping({"/detokenize", "/v1/detokenize"})
    Mono<Void> detokenize(ServerWebExchange exchange) {
        return bodies.read(exchange.getRequest())
                .flatMap(body -> JsonAnswer.write(exchange.getResponse(), json.write(text(JsonFields.root(body)))));
    }

    private TokenList tokens(JsonFields body) {
        TOKENIZE.check(body);
        ModelNotFound.refuseOthers(body, modelId);
        String content = JsonFields.string(body.require("content"), "content");
        SpecialTokens special = body.bool("parse_special", false) ? SpecialTokens.RECOGNISE : SpecialTokens.AS_TEXT;
        boolean withPieces = body.bool("with_pieces", false);
        int[] ids = tokenizer.encode(content, special);
        if (body.bool("add_special", false)) {
            ids = withSpecial(ids);
        }
        return new TokenList(withPieces ? Arrays.stream(ids).mapToObj(this::piece).toList() : Arrays.stream(ids).boxed().toList());
    }

    private int[] withSpecial(int[] ids) {
        boolean begin = tokenizer.addsBosToken() && tokenizer.bosToken().isPresent();
        int[] all = new int[ids.length + (begin ? 1 : 0) + (tokenizer.addsEosToken() ? 1 : 0)];
        System.arraycopy(ids, 0, all, begin ? 1 : 0, ids.length);
        if (begin) {
            all[0] = tokenizer.bosToken().getAsInt();
        }
        if (tokenizer.addsEosToken()) {
            all[all.length - 1] = tokenizer.eosToken();
        }
        return all;
    }

    /** A token's text, or its bytes where these are not whole characters. */
    private Piece piece(int id) {
        byte[] bytes = tokenizer.tokenBytes(id);
        try {
            return new Piece(id, StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException _) {
            List<Integer> values = new ArrayList<>(bytes.length);
            for (byte each : bytes) {
                values.add(each & 0xFF);
            }
            return new Piece(id, values);
        }
    }

    private Text text(JsonFields body) {
        DETOKENIZE.check(body);
        ModelNotFound.refuseOthers(body, modelId);
        JsonNode tokens = body.require("tokens");
        if (!tokens.isArray()) {
            throw ApiException.wrongType("tokens", "an array of token ids", JsonFields.kind(tokens));
        }
        TokenStreamDecoder decoder = new TokenStreamDecoder(tokenizer, true);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < tokens.size(); i++) {
            String path = "tokens[" + i + "]";
            long id = JsonFields.integer(tokens.get(i), path);
            if (id < 0 || id >= tokenizer.vocabularySize()) {
                throw ApiException.invalidValue(path,
                        path + " must be a token id from 0 to " + (tokenizer.vocabularySize() - 1) + ", got " + id);
            }
            text.append(decoder.append((int) id));
        }
        return new Text(text.append(decoder.flush()).toString());
    }

    /** @param tokens ids, or {@link Piece}s where they were asked for */
    record TokenList(List<?> tokens) {}

    /** @param piece a string, or a list of byte values */
    record Piece(int id, Object piece) {}

    record Text(String content) {}
}

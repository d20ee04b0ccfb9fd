package dev.ringside.chat.jinja;

import dev.ringside.chat.jinja.Expression.Arguments;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Parses what operators stand between: literals, names and brackets, with attributes, subscripts, calls, filters and tests after them. */
final class OperandParser {

    private static final Set<String> NOT_AN_ARGUMENT = Set.of("else", "or", "and", "is", "if", "not", "in", "recursive");

    private final TokenStream tokens;
    private final ExpressionParser expressions;

    OperandParser(TokenStream tokens, ExpressionParser expressions) {
        this.tokens = tokens;
        this.expressions = expressions;
    }

    Expression primary() {
        Token token = tokens.next();
        return switch (token.kind()) {
            case NAME -> Literals.name(token);
            case STRING -> string(token);
            case INTEGER -> new Expression.Literal(Literals.integer(token));
            case REAL -> new Expression.Literal(new Value.Real(Double.parseDouble(token.text())));
            case OPERATOR -> bracketed(token);
            default -> throw new JinjaException("expected an expression, found " + token.describe()).atLine(token.line());
        };
    }

    private Expression string(Token first) {
        StringBuilder text = new StringBuilder(first.text());
        while (tokens.peek().kind() == TokenKind.STRING) {
            text.append(tokens.next().text());
        }
        return new Expression.Literal(Text.template(text.toString()));
    }

    private Expression bracketed(Token open) {
        return switch (open.text()) {
            case "(" -> {
                if (tokens.skipOperator(")")) {
                    yield new Expression.ListLiteral(List.of(), true);
                }
                Expression inner = expressions.parseWithCommas();
                tokens.expectOperator(")");
                yield inner;
            }
            case "[" -> new Expression.ListLiteral(listItems(), false);
            case "{" -> dict();
            default -> throw new JinjaException("expected an expression, found " + open.describe()).atLine(open.line());
        };
    }

    private List<Expression> listItems() {
        List<Expression> items = new ArrayList<>();
        while (!tokens.skipOperator("]")) {
            items.add(expressions.parse());
            if (!tokens.peek().isOperator("]")) {
                tokens.expectOperator(",");
            }
        }
        return items;
    }

    private Expression dict() {
        List<Expression> keys = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        while (!tokens.skipOperator("}")) {
            keys.add(expressions.parse());
            tokens.expectOperator(":");
            values.add(expressions.parse());
            if (!tokens.peek().isOperator("}")) {
                tokens.expectOperator(",");
            }
        }
        return new Expression.DictLiteral(keys, values);
    }

    Expression access(Expression target) {
        Expression result = target;
        while (true) {
            if (tokens.skipOperator(".")) {
                result = attribute(result);
            } else if (tokens.skipOperator("[")) {
                result = subscript(result);
            } else if (tokens.peek().isOperator("(")) {
                result = new Expression.Call(result, arguments());
            } else {
                return result;
            }
        }
    }

    Expression filtersAndTests(Expression target) {
        Expression result = target;
        while (true) {
            if (tokens.skipOperator("|")) {
                result = new Expression.Filter(result, dottedName("a filter name"), optionalArguments());
            } else if (tokens.skipName("is")) {
                result = test(result);
            } else {
                return result;
            }
        }
    }

    private Expression attribute(Expression target) {
        if (tokens.peek().kind() == TokenKind.INTEGER) {
            return new Expression.Subscript(target, new Expression.Literal(Literals.integer(tokens.next())));
        }
        return new Expression.Attribute(target, tokens.expect(TokenKind.NAME, "an attribute name").text());
    }

    private Expression subscript(Expression target) {
        Expression start = tokens.peek().isOperator(":") ? null : expressions.parse();
        if (start != null && tokens.skipOperator("]")) {
            return new Expression.Subscript(target, start);
        }
        tokens.expectOperator(":");
        Expression stop = tokens.peek().isOperator(":") || tokens.peek().isOperator("]") ? null : expressions.parse();
        Expression step = tokens.skipOperator(":") && !tokens.peek().isOperator("]") ? expressions.parse() : null;
        tokens.expectOperator("]");
        return new Expression.Slice(target, start, stop, step);
    }

    private String dottedName(String what) {
        StringBuilder name = new StringBuilder(tokens.expect(TokenKind.NAME, what).text());
        while (tokens.skipOperator(".")) {
            name.append('.').append(tokens.expect(TokenKind.NAME, what).text());
        }
        return name.toString();
    }

    private Expression test(Expression target) {
        boolean negated = tokens.skipName("not");
        String name = dottedName("a test name");
        boolean bracketed = tokens.peek().isOperator("(");
        Arguments arguments = optionalArguments();
        if (!bracketed && beginsArgument(tokens.peek())) {
            tokens.enter();
            arguments = new Arguments(List.of(access(primary())), Map.of());
            tokens.leave();
        }
        return new Expression.Test(target, name, arguments, negated);
    }

    private static boolean beginsArgument(Token token) {
        return switch (token.kind()) {
            case STRING, INTEGER, REAL -> true;
            case NAME -> !NOT_AN_ARGUMENT.contains(token.text());
            case OPERATOR -> token.text().equals("[") || token.text().equals("{");
            default -> false;
        };
    }

    /** The bracketed arguments if there are any, else {@link Arguments#NONE}. */
    Arguments optionalArguments() {
        return tokens.peek().isOperator("(") ? arguments() : Arguments.NONE;
    }

    private Arguments arguments() {
        tokens.expectOperator("(");
        List<Expression> positional = new ArrayList<>();
        Map<String, Expression> named = new LinkedHashMap<>();
        while (!tokens.skipOperator(")")) {
            if (tokens.peek().kind() == TokenKind.NAME && tokens.peekAfter().isOperator("=")) {
                String name = tokens.next().text();
                tokens.next();
                named.put(name, expressions.parse());
            } else if (named.isEmpty()) {
                positional.add(expressions.parse());
            } else {
                throw tokens.unexpected("a named argument");
            }
            if (!tokens.peek().isOperator(")")) {
                tokens.expectOperator(",");
            }
        }
        return new Arguments(positional, named);
    }
}

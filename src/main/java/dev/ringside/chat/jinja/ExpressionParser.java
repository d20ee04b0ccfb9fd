package dev.ringside.chat.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses expressions by descent. Binding, loosest first: {@code if else}, {@code or}, {@code and}, {@code not}, comparisons, {@code + -},
 * {@code ~}, {@code * / // %}, {@code **}, sign, and then filters, tests, calls and subscripts.
 */
final class ExpressionParser {

    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");

    private final TokenStream tokens;
    private final OperandParser operands;

    ExpressionParser(TokenStream tokens) {
        this.tokens = tokens;
        this.operands = new OperandParser(tokens, this);
    }

    OperandParser operands() {
        return operands;
    }

    /** An expression, or a list of them with commas between. */
    Expression parseWithCommas() {
        Expression first = parse();
        if (!tokens.peek().isOperator(",")) {
            return first;
        }
        List<Expression> items = new ArrayList<>(List.of(first));
        while (tokens.skipOperator(",")) {
            if (endsSequence()) {
                break;
            }
            items.add(parse());
        }
        return new Expression.ListLiteral(items, true);
    }

    private boolean endsSequence() {
        TokenKind kind = tokens.peek().kind();
        return kind == TokenKind.BLOCK_END || kind == TokenKind.OUTPUT_END || tokens.peek().isOperator(")") || tokens.peek().isName("in");
    }

    Expression parse() {
        return parse(true);
    }

    /** @param conditional whether {@code if} continues the expression; in {@code for x in y if z} it begins the filter */
    Expression parse(boolean conditional) {
        tokens.enter();
        Expression expression = or();
        while (conditional && tokens.skipName("if")) {
            Expression test = or();
            Expression otherwise = tokens.skipName("else") ? parse() : null;
            expression = new Expression.Conditional(test, expression, otherwise);
        }
        tokens.leave();
        return expression;
    }

    private Expression or() {
        Expression left = and();
        while (tokens.skipName("or")) {
            left = new Expression.Or(left, and());
        }
        return left;
    }

    private Expression and() {
        Expression left = not();
        while (tokens.skipName("and")) {
            left = new Expression.And(left, not());
        }
        return left;
    }

    private Expression not() {
        if (!tokens.skipName("not")) {
            return comparison();
        }
        tokens.enter();
        Expression operand = not();
        tokens.leave();
        return new Expression.Not(operand);
    }

    private Expression comparison() {
        Expression first = sum();
        List<Expression> operands = new ArrayList<>(List.of(first));
        List<String> operators = new ArrayList<>();
        for (String operator = comparisonOperator(); operator != null; operator = comparisonOperator()) {
            operators.add(operator);
            operands.add(sum());
        }
        return operators.isEmpty() ? first : new Expression.Comparison(operands, operators);
    }

    private @Nullable String comparisonOperator() {
        Token token = tokens.peek();
        if (token.kind() == TokenKind.OPERATOR && COMPARISONS.contains(token.text())) {
            return tokens.next().text();
        }
        if (tokens.skipName("in")) {
            return "in";
        }
        if (token.isName("not") && tokens.peekAfter().isName("in")) {
            tokens.next();
            tokens.next();
            return "not in";
        }
        return null;
    }

    private Expression sum() {
        Expression left = concatenation();
        while (tokens.peek().isOperator("+") || tokens.peek().isOperator("-")) {
            String operator = tokens.next().text();
            left = new Expression.Binary(operator, left, concatenation());
        }
        return left;
    }

    private Expression concatenation() {
        Expression first = product();
        if (!tokens.peek().isOperator("~")) {
            return first;
        }
        List<Expression> parts = new ArrayList<>(List.of(first));
        while (tokens.skipOperator("~")) {
            parts.add(product());
        }
        return new Expression.Concatenation(parts);
    }

    private Expression product() {
        Expression left = signed();
        while (isProductOperator(tokens.peek())) {
            String operator = tokens.next().text();
            left = new Expression.Binary(operator, left, signed());
        }
        return left;
    }

    private static boolean isProductOperator(Token token) {
        return token.isOperator("*") || token.isOperator("/") || token.isOperator("//") || token.isOperator("%");
    }

    private Expression signed() {
        return signed(true);
    }

    /** @param filtered whether filters and tests follow: after a sign they apply to the signed value */
    private Expression signed(boolean filtered) {
        tokens.enter();
        Expression result;
        if (tokens.skipOperator("-")) {
            result = new Expression.Negative(signed(false));
        } else if (tokens.skipOperator("+")) {
            result = new Expression.Positive(signed(false));
        } else {
            result = operands.access(operands.primary());
            if (tokens.skipOperator("**")) {
                result = new Expression.Binary("**", result, signed(false));
            }
        }
        if (filtered) {
            result = operands.filtersAndTests(result);
        }
        tokens.leave();
        return result;
    }
}

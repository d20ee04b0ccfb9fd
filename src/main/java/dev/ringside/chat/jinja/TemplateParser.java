package dev.ringside.chat.jinja;

import dev.ringside.chat.jinja.Statement.FilterCall;
import dev.ringside.chat.jinja.Statement.Parameter;
import dev.ringside.chat.jinja.Statement.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses the statements of a template. */
final class TemplateParser {

    private final TokenStream tokens;
    private final ExpressionParser expressions;
    private int loops;

    private TemplateParser(TokenStream tokens) {
        this.tokens = tokens;
        this.expressions = new ExpressionParser(tokens);
    }

    static List<Statement> parse(String source, Limits limits) {
        if (source.length() > limits.sourceLength()) {
            throw new JinjaException("template has " + source.length() + " characters, more than " + limits.sourceLength());
        }
        TemplateParser parser = new TemplateParser(new TokenStream(TemplateLexer.tokens(source), limits.nesting()));
        List<Statement> statements = parser.body(Set.of());
        parser.tokens.expect(TokenKind.END, "end of template");
        return statements;
    }

    /** Statements up to a block tag with one of these names, whose name comes next, or to the end of the template. */
    private List<Statement> body(Set<String> ends) {
        tokens.enter();
        List<Statement> statements = new ArrayList<>();
        while (true) {
            Token token = tokens.peek();
            switch (token.kind()) {
                case DATA -> statements.add(new Statement.Data(Text.template(tokens.next().text())));
                case OUTPUT_BEGIN -> statements.add(output());
                case BLOCK_BEGIN -> {
                    tokens.next();
                    if (tokens.peek().kind() == TokenKind.NAME && ends.contains(tokens.peek().text())) {
                        tokens.leave();
                        return statements;
                    }
                    statements.add(statement());
                }
                default -> {
                    if (!ends.isEmpty()) {
                        throw tokens.unexpected("one of " + ends);
                    }
                    tokens.leave();
                    return statements;
                }
            }
        }
    }

    private Statement output() {
        int line = tokens.next().line();
        Expression expression = expressions.parseWithCommas();
        tokens.expect(TokenKind.OUTPUT_END, "'}}'");
        return new Statement.Output(expression, line);
    }

    private Statement statement() {
        Token keyword = tokens.expect(TokenKind.NAME, "a statement");
        return switch (keyword.text()) {
            case "if" -> conditional(keyword.line());
            case "for" -> loop(keyword.line());
            case "set" -> assignment(keyword.line());
            case "macro" -> macro();
            case "call" -> callBlock(keyword.line());
            case "filter" -> filterBlock(keyword.line());
            case "with" -> with(keyword.line());
            case "generation" -> {
                endTag();
                yield new Statement.Group(bodyTo("endgeneration"));
            }
            case "break", "continue" -> jump(keyword);
            case "include", "import", "from", "extends", "block" ->
                throw new JinjaException("'" + keyword.text() + "' is not available to chat templates").atLine(keyword.line());
            default -> throw new JinjaException("unknown statement '" + keyword.text() + "'").atLine(keyword.line());
        };
    }

    private Statement jump(Token keyword) {
        if (loops == 0) {
            throw new JinjaException("'" + keyword.text() + "' outside of a loop").atLine(keyword.line());
        }
        endTag();
        return keyword.text().equals("break") ? new Statement.Break() : new Statement.Continue();
    }

    private void endTag() {
        tokens.expect(TokenKind.BLOCK_END, "'%}'");
    }

    private List<Statement> bodyTo(String end) {
        List<Statement> body = body(Set.of(end));
        tokens.expectName(end);
        endTag();
        return body;
    }

    private Statement conditional(int line) {
        List<Statement.Branch> branches = new ArrayList<>();
        int branchLine = line;
        while (true) {
            Expression test = expressions.parseWithCommas();
            endTag();
            branches.add(new Statement.Branch(test, body(Set.of("elif", "else", "endif")), branchLine));
            Token next = tokens.next();
            branchLine = next.line();
            if (next.isName("elif")) {
                continue;
            }
            endTag();
            return new Statement.If(branches, next.isName("else") ? bodyTo("endif") : List.of());
        }
    }

    private Statement loop(int line) {
        Target target = target();
        tokens.expectName("in");
        Expression items = expressions.parse(false);
        Expression filter = tokens.skipName("if") ? expressions.parse() : null;
        boolean recursive = tokens.skipName("recursive");
        endTag();
        loops++;
        List<Statement> body = body(Set.of("else", "endfor"));
        loops--;
        boolean hasElse = tokens.next().isName("else");
        endTag();
        List<Statement> otherwise = hasElse ? bodyTo("endfor") : List.of();
        return new Statement.For(target, items, filter, recursive, body, otherwise, line);
    }

    private Target target() {
        Target first = singleTarget();
        if (!tokens.peek().isOperator(",")) {
            return first;
        }
        List<Target> targets = new ArrayList<>(List.of(first));
        while (tokens.skipOperator(",") && !tokens.peek().isName("in") && !tokens.peek().isOperator("=")
                && !tokens.peek().isOperator(")")) {
            targets.add(singleTarget());
        }
        return new Target.Several(targets);
    }

    private Target singleTarget() {
        if (tokens.skipOperator("(")) {
            tokens.enter();
            Target inner = target();
            tokens.leave();
            tokens.expectOperator(")");
            return inner;
        }
        String name = tokens.expect(TokenKind.NAME, "a name to assign to").text();
        if (tokens.skipOperator(".")) {
            return new Target.Attribute(name, tokens.expect(TokenKind.NAME, "an attribute name").text());
        }
        return new Target.Name(name);
    }

    private Statement assignment(int line) {
        Target target = target();
        if (tokens.skipOperator("=")) {
            Expression value = expressions.parseWithCommas();
            endTag();
            return new Statement.Assign(target, value, line);
        }
        List<FilterCall> filters = filters(tokens.skipOperator("|"));
        endTag();
        return new Statement.AssignBlock(target, filters, bodyTo("endset"), line);
    }

    private List<FilterCall> filters(boolean any) {
        List<FilterCall> filters = new ArrayList<>();
        boolean more = any;
        while (more) {
            filters.add(new FilterCall(tokens.expect(TokenKind.NAME, "a filter name").text(), expressions.operands().optionalArguments()));
            more = tokens.skipOperator("|");
        }
        return filters;
    }

    private Statement filterBlock(int line) {
        List<FilterCall> filters = filters(true);
        endTag();
        return new Statement.FilterBlock(filters, bodyTo("endfilter"), line);
    }

    private Statement macro() {
        String name = tokens.expect(TokenKind.NAME, "a macro name").text();
        return macroBody(name, parameters(), "endmacro");
    }

    private Statement.Macro macroBody(String name, List<Parameter> parameters, String end) {
        endTag();
        int outerLoops = loops;
        loops = 0;
        List<Statement> body = bodyTo(end);
        loops = outerLoops;
        return new Statement.Macro(name, parameters, body);
    }

    private List<Parameter> parameters() {
        tokens.expectOperator("(");
        List<Parameter> parameters = new ArrayList<>();
        while (!tokens.skipOperator(")")) {
            String name = tokens.expect(TokenKind.NAME, "a parameter name").text();
            @Nullable Expression fallback = tokens.skipOperator("=") ? expressions.parse() : null;
            parameters.add(new Parameter(name, fallback));
            if (!tokens.peek().isOperator(")")) {
                tokens.expectOperator(",");
            }
        }
        return parameters;
    }

    private Statement callBlock(int line) {
        List<Parameter> parameters = tokens.peek().isOperator("(") ? parameters() : List.of();
        if (!(expressions.parse() instanceof Expression.Call call)) {
            throw new JinjaException("'call' needs a call").atLine(line);
        }
        return new Statement.CallBlock(macroBody("caller", parameters, "endcall"), call, line);
    }

    private Statement with(int line) {
        List<Statement.Assign> assignments = new ArrayList<>();
        while (tokens.peek().kind() != TokenKind.BLOCK_END) {
            Target target = singleTarget();
            tokens.expectOperator("=");
            assignments.add(new Statement.Assign(target, expressions.parse(), line));
            if (tokens.peek().kind() != TokenKind.BLOCK_END) {
                tokens.expectOperator(",");
            }
        }
        endTag();
        return new Statement.With(assignments, bodyTo("endwith"));
    }
}

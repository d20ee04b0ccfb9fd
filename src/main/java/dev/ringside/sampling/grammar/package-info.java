/**
 * Grammar-constrained sampling: JSON schemas and composed grammars become byte-level pushdown automata that say which tokens may come next.
 *
 * <p>
 * One {@link dev.ringside.sampling.grammar.Constraints} per vocabulary, one {@link dev.ringside.sampling.grammar.CompiledGrammar} per grammar, one
 * {@link dev.ringside.sampling.TokenConstraint} per generation:
 *
 * <pre>{@code
 * Constraints constraints = Constraints.over(vocabulary);
 * // response_format json_schema, after the reasoning block
 * Grammar answer = Grammar.sequence(Grammar.textUntil("</think>"), Grammar.whitespace(), JsonSchemas.compile(schema));
 * TokenConstraint constraint = constraints.of(answer);
 * // tools with tool_choice auto
 * Grammar call = Grammar.sequence(Grammar.literal("\n{\"name\": \"weather\", \"arguments\": "), JsonSchemas.compile(parameters),
 *         Grammar.literal("}\n"), Grammar.marker("</tool_call>"));
 * TokenConstraint auto = constraints.triggered("<tool_call>", call);
 * // tool_choice required: one call or more
 * TokenConstraint must = constraints.of(Grammar.repeat(Grammar.sequence(Grammar.marker("<tool_call>"), call), 1, Grammar.UNBOUNDED));
 * }</pre>
 *
 * How it works: every rule is a nondeterministic automaton over bytes whose edges may also call rules. A state of the simulation is a set of
 * (automaton state, stack) pairs; stacks are immutable, shared nodes that hold all their return points (a graph-structured stack), so that ambiguous
 * grammars cost polynomial and not exponential room. States are interned and remember their successors, which makes the simulation a
 * lazily built deterministic automaton. A mask is one walk over the vocabulary's trie, cut off where the automaton dies; what can follow
 * inside a JSON string is worked out once per vocabulary.
 */
@NullMarked
package dev.ringside.sampling.grammar;

import org.jspecify.annotations.NullMarked;

package dev.ringside.chat.jinja;

/** What {@code target | name(arguments)} computes. */
interface Filter {
    Value apply(Value target, CallArguments arguments, RenderContext context);
}

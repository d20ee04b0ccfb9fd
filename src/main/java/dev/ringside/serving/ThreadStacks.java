package dev.ringside.serving;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/** The stacks of all threads as text, the engine's first. */
final class ThreadStacks {

    private static final String ENGINE = "ringside-engine";

    private ThreadStacks() {}

    static String all() {
        ThreadInfo[] threads = ManagementFactory.getThreadMXBean().dumpAllThreads(true, true);
        StringBuilder text = new StringBuilder(1 << 14);
        for (ThreadInfo thread : threads) {
            if (thread.getThreadName().equals(ENGINE)) {
                append(thread, text);
            }
        }
        for (ThreadInfo thread : threads) {
            if (!thread.getThreadName().equals(ENGINE)) {
                append(thread, text);
            }
        }
        return text.toString();
    }

    private static void append(ThreadInfo thread, StringBuilder text) {
        text.append('"').append(thread.getThreadName()).append("\" #").append(thread.getThreadId()).append(' ')
                .append(thread.getThreadState());
        LockInfo lock = thread.getLockInfo();
        if (lock != null) {
            text.append(" on ").append(lock);
            if (thread.getLockOwnerName() != null) {
                text.append(" held by \"").append(thread.getLockOwnerName()).append('"');
            }
        }
        text.append('\n');
        for (StackTraceElement frame : thread.getStackTrace()) {
            text.append("    at ").append(frame).append('\n');
        }
    }
}

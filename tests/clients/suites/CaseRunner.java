import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

// Runs cases of JUnit 4 and reports each as soon as it ends, so that whoever reads the output knows which one hangs.
//
//   CaseRunner --list CLASS…    prints "case CLASS.METHOD" of every test method
//   CaseRunner FILE CLASS       runs the cases of CLASS that FILE names, one CLASS.METHOD a line
public class CaseRunner {
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("--list")) {
            for (int i = 1; i < arguments.length; ++i) list(arguments[i]);
            System.exit(0);
        }
        run(new HashSet<>(Files.readAllLines(Paths.get(arguments[0]))), arguments[1]);
        System.exit(0);  // threads that a case left running do not keep the process
    }

    private static void list(String name) {
        try {
            Class<?> type = Class.forName(name, false, CaseRunner.class.getClassLoader());
            if (java.lang.reflect.Modifier.isAbstract(type.getModifiers())) return;
            for (java.lang.reflect.Method method : type.getMethods())
                if (method.isAnnotationPresent(Test.class) && !method.isAnnotationPresent(Ignore.class)) say("case " + name + "." + method.getName());
        } catch (Throwable error) {
            say("unreadable " + name + " " + oneLine(error));
        }
    }

    private static void run(Set<String> cases, String name) throws Exception {
        JUnitCore core = new JUnitCore();
        core.addListener(new RunListener() {
            private Failure failure;

            public void testStarted(Description test) {
                failure = null;
                say("start " + nameOf(test));
            }
            public void testFailure(Failure what) {
                if (failure == null) failure = what;  // what went wrong first; the tidying up fails next
                if (what.getDescription().getMethodName() == null) say("class " + name + " " + oneLine(what.getException()));
            }
            public void testAssumptionFailure(Failure what) { failure = what; }
            public void testFinished(Description test) {
                say(failure == null ? "pass " + nameOf(test) : "fail " + nameOf(test) + " " + oneLine(failure.getException()));
            }
        });
        core.run(Request.aClass(Class.forName(name)).filterWith(new Filter() {
            public boolean shouldRun(Description test) { return test.getMethodName() == null || cases.contains(nameOf(test)); }
            public String describe() { return "the cases that are asked for"; }
        }));
    }

    private static String nameOf(Description test) { return test.getClassName() + "." + test.getMethodName(); }

    // The error and where in the suite it came up.
    private static String oneLine(Throwable error) {
        StringBuilder text = new StringBuilder(String.valueOf(error));
        for (StackTraceElement frame : error.getStackTrace())
            if (frame.getFileName() != null && frame.getFileName().contains("Test")) {
                text.append(" [").append(frame.getFileName()).append(':').append(frame.getLineNumber()).append(']');
                break;
            }
        return text.toString().replaceAll("\\s+", " ");
    }

    // A line of its own, whatever the case has printed before.
    private static synchronized void say(String line) { System.out.println("\n@@" + line); System.out.flush(); }
}

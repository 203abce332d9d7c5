// Subscribers of the unmodified Java client against a node: JavaSubscriber PORT PASSWORD. Prints "ok NAME" or "FAILED NAME" for each case.
import com.xxdb.DBConnection;
import com.xxdb.data.BasicStringVector;
import com.xxdb.streaming.client.BatchMessageHandler;
import com.xxdb.streaming.client.IMessage;
import com.xxdb.streaming.client.MessageHandler;
import com.xxdb.streaming.client.PollingClient;
import com.xxdb.streaming.client.ThreadPooledClient;
import com.xxdb.streaming.client.ThreadedClient;
import com.xxdb.streaming.client.TopicPoller;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class JavaSubscriber {
    interface Case {
        void run(String table) throws Exception;
    }

    static final String HOST = "127.0.0.1", USER = "admin";
    static final int ROWS = 5000;
    static DBConnection control = new DBConnection();
    static PrintStream out;
    static int port;
    static String password;

    // The rows of one subscription: what stood in column id, and the numbers of the rows.
    static class Rows implements MessageHandler, BatchMessageHandler {
        final List<Integer> ids = Collections.synchronizedList(new ArrayList<Integer>());
        final List<Long> numbers = Collections.synchronizedList(new ArrayList<Long>());

        public void doEvent(IMessage message) {
            numbers.add(message.getOffset());
            ids.add(((com.xxdb.data.Scalar) message.getEntity(0)).isNull() ? -1 : Integer.parseInt(message.getEntity(0).getString()));
        }

        public void batchHandler(List<IMessage> messages) {
            for (IMessage message : messages) doEvent(message);
        }

        void require(int count, int step) throws Exception {
            for (int i = 0; i < 1000 && ids.size() < count; ++i) Thread.sleep(10);
            Thread.sleep(50);
            if (ids.size() != count) throw new Exception(ids.size() + " rows came instead of " + count);
            for (int i = 0; i < count; ++i)
                if (ids.get(i) != i * step) throw new Exception("row " + i + " holds " + ids.get(i));
        }
    }

    static void feed(String table) throws Exception {
        control.run("for (i in 0..9) " + table + ".append!(table(i * 500 + 0..499 as id, take(`a`b, 500) as sym, 0.5 * (0..499) as v))");
    }

    static void requireNoSubscriber(String table) throws Exception {
        for (int i = 0; i < 200; ++i) {
            if (control.run("exec count(*) from getStreamingStat().pubTables where tableName = `" + table).getString().equals("0")) return;
            Thread.sleep(10);
        }
        throw new Exception("the node still has the subscription");
    }

    static void run(String name, Case test) {
        try {
            control.run("share streamTable(10:0, `id`sym`v, [INT, SYMBOL, DOUBLE]) as " + name + "; setStreamTableFilterColumn(" + name + ", `sym)");
            test.run(name);
            requireNoSubscriber(name);
            control.run("dropStreamTable(`" + name + ")");
            out.println("ok " + name);
        } catch (Exception error) {
            out.println("FAILED " + name + ": " + error);
        }
    }

    public static void main(String[] arguments) throws Exception {
        out = new PrintStream(System.out, true, "UTF-8");
        System.setOut(System.err);  // the client prints there
        port = Integer.parseInt(arguments[0]);
        password = arguments[1];
        if (!control.connect(HOST, port, USER, password)) throw new Exception("no connection");
        run("threaded", table -> {
            ThreadedClient client = new ThreadedClient(0);
            Rows rows = new Rows();
            client.subscribe(HOST, port, table, "java", rows, 0, false, null, false, USER, password);
            feed(table);
            rows.require(ROWS, 1);
            for (int i = 0; i < ROWS; ++i)
                if (rows.numbers.get(i) != i) throw new Exception("row " + i + " has the number " + rows.numbers.get(i));
            client.unsubscribe(HOST, port, table, "java");
            client.close();
        });
        run("filtered", table -> {
            ThreadedClient client = new ThreadedClient(0);
            Rows rows = new Rows();
            BasicStringVector filter = new BasicStringVector(new String[] {"a"});
            client.subscribe(HOST, port, table, "java", rows, 0, false, filter, false, USER, password);
            feed(table);
            rows.require(ROWS / 2, 2);
            client.unsubscribe(HOST, port, table, "java");
            client.close();
        });
        run("batches", table -> {
            feed(table);
            ThreadedClient client = new ThreadedClient(0);
            Rows rows = new Rows();
            client.subscribe(HOST, port, table, "java", (BatchMessageHandler) rows, 0, false, null, null, false, 100, 0.1f, USER, password);
            rows.require(ROWS, 1);
            client.unsubscribe(HOST, port, table, "java");
            client.close();
        });
        run("pooled", table -> {
            ThreadPooledClient client = new ThreadPooledClient(0, 1);
            Rows rows = new Rows();
            client.subscribe(HOST, port, table, "java", rows, 0, false, null, null, false, USER, password);
            feed(table);
            rows.require(ROWS, 1);
            client.unsubscribe(HOST, port, table, "java");
            client.close();
        });
        run("polled", table -> {
            PollingClient client = new PollingClient(0);
            TopicPoller poller = client.subscribe(HOST, port, table, "java", 0, false, null, USER, password);
            feed(table);
            Rows rows = new Rows();
            for (int i = 0; i < 200 && rows.ids.size() < ROWS; ++i) {
                ArrayList<IMessage> messages = poller.poll(50);
                if (messages != null) rows.batchHandler(messages);
            }
            rows.require(ROWS, 1);
            client.unsubscribe(HOST, port, table, "java");
        });
        run("unknown", table -> {
            ThreadedClient client = new ThreadedClient(0);
            try {
                client.subscribe(HOST, port, "nowhere", "java", new Rows(), 0, false, null, false, USER, password);
            } catch (Exception error) {
                client.close();
                if (!error.toString().contains("doesn't exist")) throw error;
                return;
            }
            throw new Exception("a table that is not there was subscribed to");
        });
        control.close();
        System.exit(0);
    }
}

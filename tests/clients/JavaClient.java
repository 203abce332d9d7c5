// The unmodified Java client against a node: JavaClient PORT PASSWORD. Reads lines "NAME<tab>SCRIPT" of scripts that make a table, receives each
// table, sends it back, and has the server compare both. Prints "ok NAME" or "FAILED NAME" for each.
import com.xxdb.DBConnection;
import com.xxdb.data.BasicTable;
import com.xxdb.data.Entity;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;

public class JavaClient {
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        DBConnection connection = new DBConnection();
        if (!connection.connect("127.0.0.1", Integer.parseInt(arguments[0]), "admin", arguments[1])) {
            out.println("FAILED to connect");
            System.exit(1);
        }
        for (String line; (line = lines.readLine()) != null;) {
            String name = line.substring(0, line.indexOf('\t'));
            try {
                BasicTable table = (BasicTable) connection.run("source = " + line.substring(line.indexOf('\t') + 1) + "; source");
                connection.upload(Collections.<String, Entity>singletonMap("back", table));
                String types = connection.run("string(schema(back).colDefs.typeString == schema(source).colDefs.typeString).concat(' ')").getString();
                String names = connection.run("string(back.columnNames() == source.columnNames()).concat(' ')").getString();
                String values = connection.run("string(each(eqObj, back.values(), source.values())).concat(' ')").getString();
                boolean same = !(types + names + values).contains("false");
                out.println((same ? "ok " : "FAILED ") + name + (same ? "" : ": types " + types + ", names " + names + ", values " + values));
            } catch (Exception error) {
                out.println("FAILED " + name + ": " + error);
            }
        }
        connection.close();
        System.exit(0);
    }
}

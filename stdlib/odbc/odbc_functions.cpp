// odbc::connect, odbc::query, odbc::execute, odbc::append, odbc::close: other databases by their ODBC drivers.
#include <fmt/format.h>

#include <cctype>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/odbc/odbc_connection.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

using odbc::OdbcConnection;

Ref<OdbcConnection> opened(const Value& connectionString, size_t i) {
    constexpr size_t kMostBytes = 32000;
    std::vector<Value> one = {connectionString};
    const std::string text = stringArgument(one, 0, "connectionString");
    if (text.empty() || text.size() > kMostBytes)
        refuseArgument(i, "connectionString", "a text of up to 32000 bytes", connectionString);
    return makeRef<OdbcConnection>(text);
}

// Reads a connection: the handle that connect gave, or a connection string, which is opened for this call.
Ref<OdbcConnection> connectionArgument(Arguments a) {
    if (a[0].isString()) return opened(a[0], 0);
    auto* connection =
        a[0].type() == Type::Handle && a[0].hasObject() ? dynamic_cast<OdbcConnection*>(a[0].object()) : nullptr;
    if (connection == nullptr)
        refuseArgument(0, "conn", "a connection that odbc::connect gave, or a connection string", a[0]);
    return Ref<OdbcConnection>(connection);
}

std::string statementArgument(Arguments a, size_t i, std::string_view name) {
    constexpr size_t kMostBytes = size_t{1} << 30;
    const std::string text = stringArgument(a, i, name);
    if (text.empty() || text.size() > kMostBytes) refuseArgument(i, name, "a statement", a[i]);
    return text;
}

// odbc::connect(connectionString, [database])
Value connectKernel(Context&, Arguments a) {
    (void)stringArgument(a, 1, "database", "");
    return Value::ofSystem(Type::Handle, opened(a[0], 0));
}

// odbc::close(conn)
Value closeKernel(Context&, Arguments a) {
    if (a[0].isString()) refuseArgument(0, "conn", "a connection that odbc::connect gave", a[0]);
    connectionArgument(a)->close();
    return {};
}

// odbc::query(conn, sqlQuery, [resultTable], [batchSize], [transform])
Value queryKernel(Context& context, Arguments a) {
    const std::string text = statementArgument(a, 1, "sqlQuery");
    const int64_t batch = integerArgument(a, 3, "batchSize", 262144);
    if (batch < 1) refuseArgument(3, "batchSize", "1 or more", a[3]);
    const bool hasTarget = isGiven(a, 2), hasTransform = isGiven(a, 4);
    if (hasTarget && !a[2].isTable()) refuseArgument(2, "resultTable", "a table", a[2]);
    if (hasTransform && !a[4].isFunction()) refuseArgument(4, "transform", "a function of a table", a[4]);
    // Rows are read whole before the script's function sees any: no lock is held while it runs.
    std::vector<Ref<MemoryTable>> batches;
    connectionArgument(a)->run(context, text, batch,
                               [&](Ref<MemoryTable> rows) { batches.push_back(std::move(rows)); });
    if (batches.empty()) throw UserError(1, "The statement gives no rows.", "Use odbc::execute for it.");
    std::vector<Value> parts;
    for (Ref<MemoryTable>& rows : batches) {
        Value part = Value::of(Ref<Table>(rows));
        if (hasTransform) part = callWith(a[4].function(), context, {part});
        if (!hasTarget) {
            parts.push_back(std::move(part));
            continue;
        }
        // The table is handed over, so that it is changed in place, and taken back.
        std::vector<Value> call;
        call.push_back(std::move(a[2]));
        call.push_back(std::move(part));
        Value appended = FunctionRegistry::instance().get("append!").call(context, call);
        a[2] = call[0].isVoid() ? std::move(appended) : std::move(call[0]);
    }
    if (hasTarget) return a[2];
    return parts.size() == 1
               ? parts[0]
               : callNamed(context, "unionAll", {Value::of(makeRef<Tuple>(std::move(parts))), Value::ofBool(false)});
}

// odbc::execute(conn, sqlStatement)
Value executeKernel(Context& context, Arguments a) {
    const std::string text = statementArgument(a, 1, "sqlStatement");
    connectionArgument(a)->run(context, text, 262144, [](const Ref<MemoryTable>&) {});
    return {};
}

// odbc::append(conn, ddbTable, tableName, [createTableIfNotExists], [ignoreDuplicates])
Value appendKernel(Context& context, Arguments a) {
    const Ref<MemoryTable> rows = tableToRead(a[1]);
    if (!rows) refuseArgument(1, "ddbTable", "a table in memory", a[1]);
    const std::string table = stringArgument(a, 2, "tableName");
    // The name stands in a statement: letters, digits, and the points between its parts.
    const bool isName = !table.empty() && std::ranges::all_of(table, [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '.' || c == '$' || c >= 0x80;
    });
    if (!isName)
        refuseArgument(2, "tableName", "a name of letters, digits, _ and $, with points between its parts", a[2]);
    for (const ColumnSchema& column : rows->columns()) {
        if (isArrayType(column.type) || column.type == Type::Any)
            throw UserError(1,
                            fmt::format("The column {} holds arrays, which other databases do not take.", column.name));
    }
    connectionArgument(a)->append(context, *rows, table, flagArgument(a, 3, "createTableIfNotExists", true),
                                  flagArgument(a, 4, "ignoreDuplicates", false));
    return {};
}

}  // namespace

void registerOdbc(FunctionRegistry& registry) {
    constexpr std::string_view kConnection = "conn: a connection that odbc::connect gave, or a connection string\n";
    constexpr std::string_view kErrors =
        "The driver manager or the driver is not there; the database refuses, with its reason.";
    registry.add(
        "odbc::connect(connectionString, [database])", connectKernel,
        {.summary = "A connection to another database by its ODBC driver.",
         .parameters = "connectionString: as of the driver: \"Driver=SQLite3;Database=/data/x.db\", or \"DSN=name\"\n"
                       "database: the kind of database, which is found out",
         .errors = kErrors,
         .complexity = "waits 30 seconds at most for the database",
         .source = "ODBC 3, by unixODBC",
         .example = "conn = odbc::connect(\"Driver=SQLite3;Database=/data/x.db\")"});
    registry.add("odbc::close(conn)", closeKernel,
                 {.summary = "Closes a connection; one that nobody holds any more is closed, too.",
                  .parameters = "conn: a connection that odbc::connect gave",
                  .errors = "conn is none.",
                  .example = "odbc::close(conn)"});
    registry.add(
        "odbc::query(conn, sqlQuery, [mutable resultTable], [batchSize=262144], [transform])", queryKernel,
        {.summary = "The rows of a query, as a table: BOOL, SHORT, INT, LONG, FLOAT and DOUBLE (decimals, too), DATE, "
                    "SECOND, NANOTIMESTAMP, BLOB, and STRING for all else.",
         .parameters =
             fmt::format("{}{}", kConnection,
                         "sqlQuery: in the language of the database\nresultTable: a table that rows are appended to; "
                         "it is returned then\nbatchSize: rows of each append\ntransform: a function of the rows of a "
                         "batch that gives what is appended"),
         .nulls = "NULL for NULL, and for times that nanoseconds do not reach.",
         .errors = fmt::format("{}{}", kErrors, " The rows do not fit into resultTable."),
         .complexity = "O(cells); asks for cancellation",
         .example = "odbc::query(conn, \"select * from trades\")"},
        {.takesSharedTables = true});
    registry.add("odbc::execute(conn, sqlStatement)", executeKernel,
                 {.summary = "Runs a statement that gives no rows.",
                  .parameters = fmt::format("{}{}", kConnection, "sqlStatement: in the language of the database"),
                  .errors = kErrors,
                  .example = "odbc::execute(conn, \"delete from trades\")"});
    registry.add(
        "odbc::append(conn, ddbTable, tableName, [createTableIfNotExists=true], [ignoreDuplicates=false])",
        appendKernel,
        {.summary = "Inserts the rows of a table into one of another database, all or none.",
         .parameters = fmt::format("{}{}", kConnection,
                                   "ddbTable: a table in memory\ntableName: the table of the database\n"
                                   "createTableIfNotExists: makes it when it is not there\n"
                                   "ignoreDuplicates: leaves out rows whose key is there (MySQL, PostgreSQL, SQLite)"),
         .nulls = "NULL for NULL; the empty string is NULL.",
         .errors = fmt::format("{}{}", kErrors, " A column holds arrays; tableName is no name."),
         .complexity = "O(cells), one insert for each row; asks for cancellation",
         .example = "odbc::append(conn, table(1..3 as id), \"ids\")"});
}

}  // namespace pelorus

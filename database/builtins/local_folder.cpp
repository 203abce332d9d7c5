#include "database/service/local_folder.h"
#include "common/thread/mutex.h"

#include <fmt/format.h>

#include <tuple>

#include "common/error.h"
#include "common/io/file.h"
#include "database/builtins/builtins_database.h"
#include "database/service/database_handle.h"
#include "interpreter/session/session.h"
#include "runtime/function/file_access.h"
#include "runtime/value/cast.h"
#include "storage/segment/table_file.h"

namespace pelorus {

Ref<MemoryTable> multiVersion(Ref<MemoryTable> table) {
    table->lock = std::make_shared<RecursiveMutex>();
    table->isMultiVersion = true;
    return table;
}

namespace {

std::string fileOf(const std::string& folder, const std::string& name) {
    return joinPath(folder, name + ".tbl");
}

MemoryTable& memoryTable(const Value& value, int argument) {
    auto* table = asMemoryTable(value);
    if (table == nullptr) throw UserError(argument, "table must be a table in memory.");
    return *table;
}

// Returns the name that a table is shared under; empty when it is not shared.
std::string sharedName(const Context& context, const MemoryTable& table) {
    auto* shared = table.lock ? context.service<SharedObjects>() : nullptr;
    if (!shared) return "";
    for (const std::string& name : shared->names()) {
        Value known;
        if (shared->find(name, known) && known.isTable() && &known.table() == &table) return name;
    }
    return "";
}

// saveTable(dbHandle, table, [tableName], [append=false], [compression=false])
Value saveTableKernel(Context& context, Arguments arguments) {
    const std::string folder = givenDatabasePath(context, arguments[0], 0);
    if (!isFolderPath(folder)) {
        throw UserError(0, fmt::format("saveTable writes into a plain folder, but the database is {}.", folder),
                        "Make a table there with createPartitionedTable, and append the rows.");
    }
    MemoryTable& given = memoryTable(arguments[1], 1);
    const bool isNamed = !arguments[2].isVoid();
    std::string name = isNamed ? nameArgument(arguments[2], 2, "tableName") : given.name;
    // The variable's name, if there is no other.
    if (name.empty() && context.scope) name = context.scope->nameOf(given);
    if (name.empty()) name = sharedName(context, given);
    if (name.empty()) throw UserError(2, "tableName is missing: the table has no name of its own.");
    const OptionalLock lock(given.lock.get());
    UserFiles& files = userFiles(context);
    const bool append = !arguments[3].isVoid() && isTrue(arguments[3]) && folderHasTable(files, folder, name);
    Ref<MemoryTable> rows(&given);
    if (append) {
        rows = loadFolderTable(files, folder, name);
        rows->append(given);
    }
    files.makeFolder(folder);
    writeTableFile(files, fileOf(folder, name), *rows);
    return {};
}

// Makes a table whose every change is on disk when its call returns, like multiVersion. Each costs the writing of all
// rows.
Ref<MemoryTable> keptInFolder(UserFiles& files, Ref<MemoryTable> table, const std::string& folder,
                              const std::string& name) {
    table->name = name;
    table->keeper = [files = files.shared_from_this(), path = fileOf(folder, name)](const MemoryTable& rows) {
        writeTableFile(*files, path, rows);
    };
    return multiVersion(std::move(table));
}

// Fills in the initial rows of mvccTable(capacity:size, ...).
void fillWith(MemoryTable& table, const Value& defaults) {
    if (defaults.size() != table.columnCount()) {
        throw UserError(5, fmt::format("defaultValues must have one value for each of the {} columns, but it has {}.",
                                       table.columnCount(), defaults.size()));
    }
    for (int c = 0; c < table.columnCount(); ++c) {
        const ColumnSchema column = table.columns()[static_cast<size_t>(c)];
        table.setColumn(column.name, filledColumn(column.type, column.scale, table.rowCount(), defaults.at(c)));
    }
}

void requireNullsAllowed(const Value& allowNull) {
    for (int64_t i = 0; i < allowNull.size(); ++i) {
        if (isTrue(allowNull.isScalar() ? allowNull : allowNull.at(i))) continue;
        throw UserError(6, "Every column of a table takes NULL; allowNull can't be false.",
                        "Look for NULLs where rows come from.");
    }
}

// mvccTable(X, X1...), mvccTable(capacity:size, colNames, colTypes, [path], [tableName], [defaultValues], [allowNull])
Value mvccTableKernel(Context& context, Arguments arguments) {
    if (arguments.empty()) throw UserError("mvccTable needs at least one column.");
    std::vector<Value> columns(arguments.begin(), arguments.end());
    std::vector<Value> more;
    if (arguments[0].isPair() && arguments.size() > 3) {
        more.assign(columns.begin() + 3, columns.end());
        columns.resize(3);
        if (more.back().isDictionary()) more.pop_back();  // the names of variables: columns are named by the second
        more.resize(4);
    }
    const Value made = FunctionRegistry::instance().get("table").call(context, columns);
    Ref<MemoryTable> table(&memoryTable(made, 0));
    if (more.empty()) return Value::of(Ref<Table>(multiVersion(std::move(table))));
    const auto& [path, name, defaults, allowNull] = std::tie(more[0], more[1], more[2], more[3]);
    if (!defaults.isVoid()) fillWith(*table, defaults);
    if (!allowNull.isVoid()) requireNullsAllowed(allowNull);
    if (path.isVoid()) return Value::of(Ref<Table>(multiVersion(std::move(table))));
    const std::string folder = givenDatabasePath(context, path, 3);
    if (!isFolderPath(folder)) {
        throw UserError(3, fmt::format("path must be a folder, but it is {}.", folder),
                        "Give one with a slash, such as \"./tables\".");
    }
    if (name.isVoid()) throw UserError(4, "tableName is missing: it names the file in path.");
    UserFiles& files = userFiles(context);
    files.makeFolder(folder);
    table = keptInFolder(files, std::move(table), folder, nameArgument(name, 4, "tableName"));
    table->keep();
    return Value::of(Ref<Table>(std::move(table)));
}

Value loadMvccTableKernel(Context& context, Arguments arguments) {
    const std::string folder = givenDatabasePath(context, arguments[0], 0);
    const std::string name = nameArgument(arguments[1], 1, "tableName");
    UserFiles& files = userFiles(context);
    return Value::of(Ref<Table>(keptInFolder(files, loadFolderTable(files, folder, name), folder, name)));
}

Value noOltpEngine(Context&, Arguments) {
    throw UserError(
        "There is no OLTP engine here.",
        "A shared keyedTable or indexedTable takes and gives rows by key; transaction { } changes several.");
}

Value noStreamGraphs(Context&, Arguments) {
    throw UserError("There are no stream graphs, engines or stream tables to rename.",
                    "renameCatalog and renameSchema rename what a catalog holds.");
}

}  // namespace

bool isFolderPath(const std::string& path) {
    return path.find('/') != std::string::npos && path.find("://") == std::string::npos;
}

bool folderHasTable(UserFiles& files, const std::string& folder, const std::string& name) {
    return files.exists(fileOf(folder, name));
}

static void requireTable(UserFiles& files, const std::string& folder, const std::string& name) {
    if (folderHasTable(files, folder, name)) return;
    throw UserError(fmt::format("The folder {} has no table {}.", folder, name), "saveTable writes one.");
}

Ref<MemoryTable> loadFolderTable(UserFiles& files, const std::string& folder, const std::string& name) {
    requireTable(files, folder, name);
    Ref<MemoryTable> table = readTableFile(files, fileOf(folder, name));
    table->name = name;
    return table;
}

void dropFolderTable(UserFiles& files, const std::string& folder, const std::string& name) {
    requireTable(files, folder, name);
    files.remove(fileOf(folder, name));
}

void registerLocalFolders(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Files, Effect::Writes);
    registry.add(
        "saveTable(dbHandle, table, [tableName], [append=false], [compression=false])", saveTableKernel,
        {.summary = "Writes a table in memory into a plain folder, which database(folder) names; loadTable "
                    "reads it into memory.",
         .parameters = "append: behind the rows that the folder's table has\n"
                       "compression: taken; the file is always compressed",
         .errors = "dbHandle is a partitioned database, or a column's type cannot be stored.",
         .example = "saveTable(database(\"/data/tables\"), table(`AAPL`MSFT as sym, 500 800 as maxQty), `limits)"},
        {.takesSharedTables = true});
    registry.add(
        "mvccTable(X, X1...)", mvccTableKernel,
        {.summary = "A table in memory, made as table() makes it, that several sessions may read and change at "
                    "once.",
         .parameters =
             "X: columns, or capacity:size with names and types; behind these may stand path, a folder, and "
             "tableName: the rows are then also in that file after every change, and loadMvccTable reads them; "
             "defaultValues: what the first rows hold; allowNull: true",
         .errors = "addColumn, dropColumns!, reorderColumns!, upsert! and erase! refuse it.",
         .complexity = "With path a change costs the writing of all rows.",
         .example = "t = mvccTable(1 2 as id, `a`b as s); insert into t values(3, `c); exec id from t -> "
                    "[1,2,3]"},
        {.takes = {kAnything | Takes::Spelled}});
    registry.add(
        "loadMvccTable(path, tableName)", loadMvccTableKernel,
        {.summary =
             "A table that a mvccTable with path, or saveTable, wrote into a folder, as a mvccTable that goes on "
             "writing there.",
         .errors = "The folder has no such table, or its file is damaged.",
         .example = "limits = loadMvccTable(\"/data/tables\", `limits)"},
        kReads);
    registry.add(
        "createIMOLTPTable(dbHandle, table, tableName, primaryKey, [secondaryKey], [uniqueFlag])", noOltpEngine,
        {.summary = "Not there: an error.",
         .parameters =
             "dbHandle, table, tableName, primaryKey, secondaryKey, uniqueFlag: not read, for every call is an error",
         .errors = "Always.",
         .example = "share keyedTable(`sym, table(`AAPL`MSFT as sym, 100 200 as qty)) as positions  // in its place"});
    registry.add("renameCatalogName(catalog, schema, oldName, newName)", noStreamGraphs,
                 {.summary = "Not there: an error.",
                  .parameters = "catalog, schema, oldName, newName: not read, for every call is an error",
                  .errors = "Always.",
                  .example = "renameSchema(\"market\", \"taq\", \"us\")  // what a catalog holds here"});
}

}  // namespace pelorus

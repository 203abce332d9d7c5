// Implements tables in memory under a name that all sessions of a process know.
#include "database/service/process_tables.h"

#include <fmt/format.h>

#include <map>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "database/service/database_handle.h"
#include "database/service/local_folder.h"
#include "runtime/table/table.h"

namespace pelorus {

namespace {

struct ProcessTables {
    Mutex mutex;
    std::map<std::string, Ref<MemoryTable>> tables GUARDED_BY(mutex);
};

ProcessTables& processTables() {
    static ProcessTables tables;
    return tables;
}

UserError notThere(const std::string& name) {
    return UserError(0, fmt::format("There is no table {} that the sessions share.", name),
                     "createIPCInMemoryTable makes one.");
}

Value createKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isScalar() || !isIntegral(arguments[0].type()))
        throw UserError(0, "size must be a number of rows.");
    const std::string name = nameArgument(arguments[1], 1, "tableName");
    std::vector<Value> columns{Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 0}), Form::Pair), arguments[2],
                               arguments[3]};
    const Value made = FunctionRegistry::instance().get("table").call(context, columns);
    const Ref<MemoryTable> table = multiVersion(Ref<MemoryTable>(asMemoryTable(made)));
    table->name = name;
    ProcessTables& known = processTables();
    const MutexLock guard(known.mutex);
    if (!known.tables.emplace(name, table).second) {
        throw UserError(1, fmt::format("A table {} that the sessions share exists already.", name),
                        "loadIPCInMemoryTable opens it, dropIPCInMemoryTable removes it.");
    }
    return Value::of(Ref<Table>(table));
}

Value loadKernel(Context&, Arguments arguments) {
    const std::string name = nameArgument(arguments[0], 0, "tableName");
    ProcessTables& known = processTables();
    const MutexLock guard(known.mutex);
    const auto at = known.tables.find(name);
    if (at == known.tables.end()) throw notThere(name);
    return Value::of(Ref<Table>(at->second));
}

Value dropKernel(Context&, Arguments arguments) {
    const std::string name = nameArgument(arguments[0], 0, "tableName");
    ProcessTables& known = processTables();
    const MutexLock guard(known.mutex);
    if (known.tables.erase(name) == 0) throw notThere(name);
    return Value::ofString(name);
}

}  // namespace

void registerProcessTables(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "createIPCInMemoryTable(size, tableName, columnNames, columnTypes)", createKernel,
        {.summary = "A table in memory that every session of this process can open by its name, until "
                    "dropIPCInMemoryTable or the end of the process. Other processes don't see it.",
         .parameters = "size: how many rows are expected",
         .errors = "A table of the name is there. Its columns can't be changed later.",
         .example = "t = createIPCInMemoryTable(1000000, `latest, `id`x, [INT, DOUBLE]); tableInsert(t, 1, 2.5); "
                    "dropIPCInMemoryTable(`latest); exec x from t -> [2.5]"});
    registry.add(
        "loadIPCInMemoryTable(tableName)", loadKernel,
        {.summary = "The table that createIPCInMemoryTable made under this name, in whatever session.",
         .errors = "There is none.",
         .example = "createIPCInMemoryTable(100, `fills, `id`qty, [INT, INT]); f = loadIPCInMemoryTable(`fills); "
                    "tableInsert(f, 1, 250); dropIPCInMemoryTable(`fills); f.qty -> [250]"},
        kReads);
    registry.add(
        "dropIPCInMemoryTable(tableName)", dropKernel,
        {.summary = "Takes the name from a table that createIPCInMemoryTable made, and returns the name. Who "
                    "has the table open keeps it.",
         .errors = "There is none.",
         .example =
             "createIPCInMemoryTable(100, `orders, `id`qty, [INT, INT]); dropIPCInMemoryTable(`orders) -> orders"});
}

}  // namespace pelorus

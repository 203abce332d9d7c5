#include "devtools/workbench/workbench_panels.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "common/error.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

using Json = nlohmann::json;

// Returns the rows of a table as objects, each cell as a string, NULL as null; numbers that fit as numbers.
Json rowsOf(const Value& value, int64_t most) {
    Json rows = Json::array();
    const Ref<MemoryTable> table = value.isTable() ? tableToRead(value) : Ref<MemoryTable>();
    if (!table) return rows;
    for (int64_t r = 0; r < std::min(table->rowCount(), most); ++r) {
        Json row = Json::object();
        for (int c = 0; c < table->columnCount(); ++c) {
            const Value cell = table->column(c).at(r);
            Json& field = row[table->columns()[static_cast<size_t>(c)].name];
            if (cell.isNull()) continue;
            if (cell.isScalar() && cell.type() == Type::Bool) {
                field = cell.integer() != 0;
            } else if (cell.isScalar() && isIntegral(cell.type()) && cell.type() != Type::Char) {
                field = cell.integer();
            } else {
                field = cell.isScalar() ? toString(cell) : display(cell);
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

constexpr int64_t kMaxVariables = 2000, kMaxJobs = 200, kMaxTables = 10'000;

std::vector<std::string> stringsOf(const Value& value) {
    std::vector<std::string> strings;
    if (!value.isTypedVector() || !isLiteral(value.type())) return strings;
    for (int64_t i = 0; i < std::min(value.size(), kMaxTables); ++i) strings.emplace_back(value.vector().string(i));
    return strings;
}

// An embedded database has no jobs of other sessions, and no function that lists them.
Json jobsOf(ScriptRunner& runner, const char* function, std::vector<Value> arguments) {
    try {
        return rowsOf(runner.call(function, std::move(arguments)), kMaxJobs);
    } catch (const UserError&) {
        return Json::array();
    }
}

}  // namespace

Json variablesFrom(const Value& objects) {
    Json variables = Json::array();
    for (const Json& row : rowsOf(objects, kMaxVariables)) {
        const auto field = [&](const char* name) { return row.contains(name) ? row[name] : Json(); };
        variables.push_back({{"name", field("name")},
                             {"type", field("type")},
                             {"form", field("form")},
                             {"rows", field("rows")},
                             {"columns", field("columns")},
                             {"bytes", field("bytes")},
                             {"isShared", field("shared")}});
    }
    return variables;
}

Json listDatabases(ScriptRunner& runner) {
    std::map<std::string, std::vector<std::string>> tables;
    for (const std::string& path : stringsOf(runner.call("getClusterDFSDatabases", {}))) tables[path];
    for (const std::string& path : stringsOf(runner.call("getClusterDFSTables", {}))) {
        const size_t slash = path.rfind('/');
        if (slash != std::string::npos) tables[path.substr(0, slash)].push_back(path.substr(slash + 1));
    }
    Json databases = Json::array();
    for (auto& [path, names] : tables) databases.push_back({{"path", path}, {"tables", names}});
    return databases;
}

Json describeTable(ScriptRunner& runner, const std::string& database, const std::string& table) {
    const Value schema = runner.call("def (url, name) { return schema(loadTable(url, name)) }",
                                     {Value::ofString(database), Value::ofString(table)});
    if (!schema.isDictionary()) throw UserError("The table has no schema.");
    const auto entry = [&](const char* key) { return schema.dictionary().get(Value::ofString(key)); };
    Json description = {{"columns", rowsOf(entry("colDefs"), kMaxVariables)}};
    for (const char* key : {"partitionColumnName", "partitionTypeName", "engineType", "sortColumns", "keepDuplicates",
                            "chunkGranularity"}) {
        const Value v = entry(key);
        if (!v.isVoid() && !v.isNull()) description[key] = v.isScalar() ? toString(v) : display(v);
    }
    return description;
}

Json listJobs(ScriptRunner& runner) {
    constexpr int32_t kNewest = 50;
    return {{"running", jobsOf(runner, "getConsoleJobs", {})},
            {"batch", jobsOf(runner, "getRecentJobs", {Value::ofInt(kNewest)})}};
}

// Calls a function that the user may lack the right to: its result is nothing then.
static Value readIfAllowed(ScriptRunner& runner, const char* function, std::vector<Value> arguments) {
    try {
        return runner.call(function, std::move(arguments));
    } catch (const UserError&) {
        return Value();
    }
}

Json describeCopies(ScriptRunner& runner) {
    // Counted where the partitions are listed: of many thousands only the counts travel.
    const Value counts = readIfAllowed(runner,
                                       "def () { t = select replicas, replicaCount, state from "
                                       "getClusterChunksStatus(); return (t.rows(), min(t.replicaCount), "
                                       "max(t.replicaCount), sum(t.state == `RECOVERING), "
                                       "concat(t.replicas, \",\")) }",
                                       {});
    Json copies{{"partitions", 0}, {"fewest", 0}, {"most", 0}, {"recovering", 0}, {"nodes", Json::array()}};
    std::map<std::string, int64_t> byNode;
    if (counts.isTuple() && counts.size() == 5 && counts.at(4).isString()) {
        for (const auto& [name, at] : {std::pair{"partitions", 0}, {"fewest", 1}, {"most", 2}, {"recovering", 3}}) {
            const Value count = counts.at(at);
            copies[name] = count.isNumber() && !count.isNull() ? count.asLong() : 0;
        }
        // "node1:7:0,node2:7:0,…"
        std::string_view nodes = counts.at(4).string();
        while (!nodes.empty()) {
            ++byNode[std::string(nodes.substr(0, nodes.find(':')))];
            nodes.remove_prefix(std::min(nodes.size(), std::min(nodes.find(','), nodes.size() - 1) + 1));
        }
    }
    for (Json& node : copies["nodes"] = rowsOf(readIfAllowed(runner, "getSyncStates", {}), kMaxJobs)) {
        const auto found = node.contains("name") && node["name"].is_string()
                               ? byNode.find(node["name"].get<std::string>())
                               : byNode.end();
        node["copies"] = found == byNode.end() ? 0 : found->second;
    }
    return copies;
}

Json describeNode(ScriptRunner& runner) {
    const auto read = [&](const char* function, std::vector<Value> arguments) {
        return readIfAllowed(runner, function, std::move(arguments));
    };
    Json figures = Json::array();
    if (const Value perf = read("getPerf", {}); perf.isDictionary()) {
        const Value names = perf.dictionary().keys();
        for (int64_t i = 0; i < names.size(); ++i) {
            const Value figure = perf.dictionary().get(names.at(i));
            figures.push_back(
                {{"name", toString(names.at(i))}, {"value", figure.isNull() ? Json() : Json(toString(figure))}});
        }
    }
    return {{"nodes", rowsOf(read("getClusterPerf", {}), kMaxJobs)},
            {"figures", std::move(figures)},
            {"streams", rowsOf(read("getStreamTables", {}), kMaxJobs)},
            {"subscriptions", rowsOf(read("getStreamTopology", {}), kMaxJobs)},
            {"log", stringsOf(read("getServerLog", {}))}};
}

void cancelJob(ScriptRunner& runner, const std::string& id, bool isBatch) {
    runner.call(isBatch ? "cancelJob" : "cancelConsoleJob", {Value::ofString(id)});
}

std::string uploadModule(ScriptRunner& runner, const std::string& source) {
    const Value path =
        runner.call("uploadModule", {Value::ofString(source), Value::ofBool(true), Value::ofBool(false)});
    return path.isString() ? std::string(path.string()) : "";
}

namespace {

// A file of the folder for uploads: a name that leads out of it is refused.
void requireFileName(const std::string& file) {
    const bool isName = !file.empty() && file.size() <= 100 && file[0] != '.' &&
                        std::all_of(file.begin(), file.end(), [](unsigned char c) {
                            return std::isalnum(c) || c == '_' || c == '-' || c == '.';
                        });
    if (!isName) throw UserError("The file must be a name of letters, digits, dots, - and _.");
}

}  // namespace

std::string uploadText(ScriptRunner& runner, const std::string& file, const std::string& text, bool isAppended) {
    requireFileName(file);
    const Value path = runner.call(
        // One line, as the protocol has it for functions.
        "def (file, text, isAppended) { folder = getHomeDir() + '/uploads'; if (!exists(folder)) mkdir(folder); "
        "saveTextFile(text, folder + '/' + file, isAppended); return folder + '/' + file }",
        {Value::ofString(file), Value::ofString(text), Value::ofBool(isAppended)});
    return path.isString() ? std::string(path.string()) : "";
}

void removeUpload(ScriptRunner& runner, const std::string& file) {
    requireFileName(file);
    runner.call("def (file) { rm(getHomeDir() + '/uploads/' + file) }", {Value::ofString(file)});
}

NamesSnapshot::Names sessionNames(ScriptRunner& runner) {
    constexpr int64_t kMaxNames = 2000, kMaxTables = 100;
    NamesSnapshot::Names names;
    Value objects;
    runner.run("objs(true)", [&](const Value& value) { objects = value; });
    std::string script;
    std::vector<std::string> tables;
    for (const Json& row : rowsOf(objects, kMaxNames)) {
        if (!row["name"].is_string() || !row["form"].is_string()) continue;
        const std::string name = row["name"].get<std::string>(), form = row["form"].get<std::string>();
        NamesSnapshot::Name& known = names[name];
        if (form == "DICTIONARY") known.kind = NameKind::Dictionary;
        if (form != "TABLE") continue;
        known.kind = NameKind::Table;
        const bool isWord =
            std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
        if (!isWord || tables.size() == kMaxTables) continue;
        script += (tables.empty() ? "" : ", ") + ("columnNames(" + name + ")");
        tables.push_back(name);
    }
    runner.run("exec name from defs() where userDefined", [&](const Value& value) {
        for (const std::string& function : stringsOf(value)) names[function].kind = NameKind::Function;
    });
    if (tables.empty()) return names;
    Value columns;
    runner.run("(" + script + ", 0)", [&](const Value& value) { columns = value; });
    for (size_t i = 0; i < tables.size() && columns.isVector() && static_cast<int64_t>(i) < columns.size(); ++i)
        names[tables[i]].members = stringsOf(columns.at(static_cast<int64_t>(i)));
    return names;
}

}  // namespace pelorus

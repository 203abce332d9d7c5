#include "database/service/database_handle.h"

#include <fmt/format.h>

#include "common/error.h"
#include "database/service/local_folder.h"
#include "database/service/secured_objects.h"
#include "runtime/function/file_access.h"
#include "runtime/function/handle_maker.h"
#include "runtime/serialize/received.h"
#include "runtime/value/vector.h"

namespace pelorus {

// Saves the path, then kind and scheme of each level.
Value DatabaseHandle::save() const {
    std::vector<Value> saved{Value::ofString(entry_.path)};
    for (const PartitionLevel& level : entry_.scheme.levels()) {
        saved.push_back(Value::ofInt(static_cast<int32_t>(level.kind())));
        saved.push_back(level.scheme());
    }
    return Value::of(makeRef<Tuple>(std::move(saved)));
}

static PartitionKind partitionKindOf(const Value& v) {
    const int64_t kind = received::integer(v, "database");
    received::require(kind >= 0 && kind <= static_cast<int64_t>(PartitionKind::Hash), "database");
    return static_cast<PartitionKind>(kind);
}

Ref<Portable> DatabaseHandle::load(const Value& saved) {
    const std::vector<Value>& elements = received::tuple(saved, "database");
    received::require(!elements.empty() && elements.size() % 2 == 1, "database");
    DatabaseEntry entry;
    entry.path = received::string(elements[0], "database");
    std::vector<PartitionLevel> levels;
    for (size_t i = 1; i + 1 < elements.size(); i += 2) {
        levels.emplace_back(partitionKindOf(elements[i]), elements[i + 1]);
    }
    entry.scheme = PartitionScheme(std::move(levels));
    return makeRef<DatabaseHandle>(std::move(entry));
}

Value DatabaseHandle::make(DatabaseEntry entry) {
    return Value::ofSystem(Type::Handle, makeRef<DatabaseHandle>(std::move(entry)));
}

DatabaseService& databasesOf(Context& context) {
    if (auto* service = context.service<DatabaseService>()) return *service;
    throw UserError("This process keeps no databases.", "Start it with a data folder: --data FOLDER.");
}

DatabaseService& databasesOf(Context& context, const std::string& path) {
    DatabaseService& own = databasesOf(context);
    if (!isFolderPath(path)) return own;
    UserFiles& files = userFiles(context);
    return FolderDatabases::has(files, path) ? own.folders().open(files, path) : own;
}

const DatabaseHandle* databaseHandle(const Value& value) {
    if (value.type() != Type::Handle || !value.hasObject()) return nullptr;
    return dynamic_cast<const DatabaseHandle*>(value.object());
}

static std::string pathIn(const Value& value, int argument) {
    if (const DatabaseHandle* handle = databaseHandle(value)) {
        if (!handle->inMemory()) return handle->path();
        throw UserError(argument, "The database is in memory and has no tables by name.");
    }
    if (!value.isString() || value.isNull())
        throw UserError(argument, "A database is expected: a handle, or a path such as \"dfs://TAQ\".");
    std::string path(value.string());
    while (path.size() > 6 && path.back() == '/') path.pop_back();
    return path;
}

std::string givenDatabasePath(const Context& context, const Value& value, int argument) {
    std::string path = pathIn(value, argument);
    if (!isFolderPath(path)) return path;
    UserFiles& files = userFiles(context);
    path = files.resolve(path);
    // The database has one name, however its path is written.
    return FolderDatabases::has(files, path) ? FolderDatabases::nameOf(path) : path;
}

std::string partitionPrefix(const std::string& database) {
    if (isFolderPath(database)) return database;
    return "/" + database.substr(std::string_view("dfs://").size());
}

// A name of one letter in single quotes is a CHAR; clients write names so.
static bool isLetter(const Value& value) {
    return value.isScalar() && value.type() == Type::Char && !value.isNull();
}

static bool isName(const Value& value) {
    return isLetter(value) || (value.isString() && !value.isNull());
}

static std::string nameIn(const Value& value) {
    return isLetter(value) ? std::string(1, static_cast<char>(value.integer())) : std::string(value.string());
}

std::string nameArgument(const Value& value, int argument, std::string_view parameter) {
    if (!isName(value)) throw UserError(argument, fmt::format("{} must be a name.", parameter));
    const std::string name = nameIn(value);
    if (name.find_first_of("\n\r\t/\\") != std::string::npos) {
        throw UserError(argument, fmt::format("{} must not contain line breaks, tabs or slashes.", parameter));
    }
    return name;
}

std::vector<std::string> namesArgument(const Value& value, int argument, std::string_view parameter) {
    std::vector<std::string> names;
    if (value.isVoid()) return names;
    if (value.isString() || isLetter(value)) {
        if (!value.isNull()) names.push_back(nameIn(value));
        return names;
    }
    if (!value.isVector()) throw UserError(argument, fmt::format("{} must be one or more names.", parameter));
    for (int64_t i = 0; i < value.size(); ++i) {
        const Value element = value.at(i);
        if (!element.isString() && !isLetter(element))
            throw UserError(argument, fmt::format("{} must be one or more names.", parameter));
        names.push_back(nameIn(element));
    }
    return names;
}

Value openTable(Context& context, const std::string& path, const std::string& name) {
    DatabaseService& service = databasesOf(context, path);
    const MetaMoment moment;
    const TableEntry table = visibleTable(context, path, name);
    const DatabaseEntry database = service.catalog().database(path);
    Ref<PartitionedTable> opened = service.open(database, table);
    opened->setMaker(std::make_shared<const HandleMaker>(context));
    return Value::of(Ref<Table>(std::move(opened)));
}

}  // namespace pelorus

#include "apps/console/embedded_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "database/service/database_handle.h"
#include "interpreter/session/classes.h"
#include "runtime/function/instance.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

NameKind kindOfValue(const Value& value) {
    if (value.isFunction()) return NameKind::Function;
    if (value.isTable()) return NameKind::Table;
    if (value.isDictionary()) return NameKind::Dictionary;
    if (isInstance(value)) return NameKind::Instance;
    return databaseHandle(value) ? NameKind::Database : NameKind::Variable;
}

bool isNameLike(std::string_view text) {
    return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::all_of(text.begin(), text.end(), [](char c) {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80;
    });
}

std::vector<std::string> columnNames(const TableSchema& columns) {
    std::vector<std::string> names;
    for (const ColumnSchema& column : columns) names.push_back(column.name);
    return names;
}

std::vector<std::string> keysOf(const Dictionary& dictionary) {
    constexpr int64_t kMax = 1000;
    std::vector<std::string> keys;
    for (int64_t i = 0; i < std::min(dictionary.size(), kMax); ++i) {
        const Value key = dictionary.keyAt(i);
        if (categoryOf(key.type()) != Category::Literal) break;
        std::string text(key.string());
        if (isNameLike(text)) keys.push_back(std::move(text));
    }
    return keys;
}

std::vector<std::string> membersOfInstance(const Instance& instance) {
    std::vector<std::string> members;
    for (const Attribute& attribute : instance.type().attributes()) members.push_back(attribute.name);
    for (const ClassFunction* type = &instance.type(); type; type = type->base()) {
        const auto* script = dynamic_cast<const ScriptClass*>(type);
        if (!script) continue;
        for (std::string& method : script->methodNames()) members.push_back(std::move(method));
    }
    return members;
}

}  // namespace

NameKind EmbeddedNames::kindOf(std::string_view name) const {
    Value value;
    return session_.lookup(name, value) ? kindOfValue(value) : NameKind::Unknown;
}

std::vector<NameInfo> EmbeddedNames::names() const {
    std::vector<NameInfo> infos;
    const auto add = [&](const std::vector<std::string>& names) {
        for (const std::string& name : names) infos.push_back({name, kindOf(name)});
    };
    add(session_.variableNames());
    add(session_.functionNames());
    for (const Ref<Module>& module : session_.modules()) {
        for (const auto& [name, function] : module->functions) infos.push_back({name, NameKind::Function});
    }
    if (const auto* shared = services_.find<SharedObjects>()) add(shared->names());
    return infos;
}

std::string EmbeddedNames::signatureOf(std::string_view function) const {
    Value value;
    if (!session_.lookup(function, value) || !value.isFunction()) return {};
    std::string parameters;
    for (const Parameter& parameter : value.function().signature().parameters) {
        if (!parameters.empty()) parameters += ", ";
        if (parameter.isMutable) parameters += "mutable ";
        parameters += parameter.optional ? "[" + parameter.name + "]" : parameter.name;
    }
    return fmt::format("{}({})", function, parameters);
}

std::vector<std::string> EmbeddedNames::membersOf(std::string_view name) const {
    Value value;
    if (!session_.lookup(name, value)) return {};
    if (value.isTable()) return columnNames(value.table().columns());
    if (value.isDictionary()) return keysOf(value.dictionary());
    if (isInstance(value)) return membersOfInstance(*value.as<Instance>());
    return {};
}

bool EmbeddedNames::isTaken(std::string_view name, const Takes& takes) const {
    Value value;
    return session_.lookup(name, value) && takes.accepts(value);
}

std::string EmbeddedNames::databaseOf(std::string_view name) const {
    Value value;
    if (!session_.lookup(name, value)) return {};
    if (const DatabaseHandle* handle = databaseHandle(value)) return handle->path();
    const bool isString = value.isScalar() && categoryOf(value.type()) == Category::Literal;
    return isString ? std::string(value.string()) : "";
}

std::vector<std::string> EmbeddedNames::databases() const {
    auto* service = services_.find<DatabaseService>();
    return service ? service->catalog().databasePaths() : std::vector<std::string>();
}

std::vector<std::string> EmbeddedNames::tablesOf(const std::string& database) const {
    auto* service = services_.find<DatabaseService>();
    return service ? service->catalog().tableNames(database) : std::vector<std::string>();
}

std::vector<std::string> EmbeddedNames::columnsOf(const std::string& database, const std::string& table) const {
    auto* service = services_.find<DatabaseService>();
    if (!service) return {};
    const auto entry = service->catalog().findTable(database, table);
    return entry ? columnNames(entry->schema) : std::vector<std::string>();
}

}  // namespace pelorus

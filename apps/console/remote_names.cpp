#include "apps/console/remote_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/format/to_source.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

std::string literal(std::string_view text) {
    return toLiteral(Value::ofString(text));
}

// A value of a type and form as objs() names them; VOID where a value of that kind has no example here.
Value exampleOf(const std::string& typeName, const std::string& form) {
    Type type = Type::Void;
    if (form == "DICTIONARY") return Value::of(makeRef<Dictionary>(Type::String, Type::Any, true));
    if (!typeByName(typeName, type)) return Value();
    const bool isPlain = categoryOf(type) != Category::System && type != Type::Any && !isArrayType(type);
    if (!isPlain) return Value();
    if (form == "SCALAR") return Value::nullOf(type);
    if (form == "VECTOR") return Value::of(Vector::make(type, 0));
    return Value();
}

}  // namespace

void RemoteNames::forget() {
    isRead_ = false;
    entries_.clear();
    answers_.clear();
}

void RemoteNames::readVariables() const {
    const Ref<MemoryTable> rows = tableToRead(ask_("objs(true)"));
    if (!rows) return;
    const Value* names = rows->column("name");
    const Value* types = rows->column("type");
    const Value* forms = rows->column("form");
    if (!names || !types || !forms) return;
    for (int64_t i = 0; i < rows->rowCount(); ++i) {
        const std::string form(forms->at(i).string());
        Entry entry;
        entry.kind = form == "TABLE"        ? NameKind::Table
                     : form == "DICTIONARY" ? NameKind::Dictionary
                     : form == "SYSOBJ"     ? NameKind::Database
                                            : NameKind::Variable;
        entry.example = exampleOf(std::string(types->at(i).string()), form);
        entries_[std::string(names->at(i).string())] = std::move(entry);
    }
}

void RemoteNames::readFunctions() const {
    const Ref<MemoryTable> rows = tableToRead(ask_("select name, syntax from defs() where userDefined"));
    if (!rows || rows->columnCount() != 2) return;
    for (int64_t i = 0; i < rows->rowCount(); ++i) {
        const std::string name(rows->column(0).at(i).string());
        entries_[name] = {NameKind::Function, Value(), name + std::string(rows->column(1).at(i).string())};
    }
}

const std::map<std::string, RemoteNames::Entry, std::less<>>& RemoteNames::entries() const {
    if (isRead_) return entries_;
    isRead_ = true;
    try {
        readVariables();
        readFunctions();
    } catch (const Error&) {  // the names stay unknown until the next statement
    }
    return entries_;
}

const std::vector<std::string>& RemoteNames::stringsOf(const std::string& script) const {
    const auto known = answers_.find(script);
    if (known != answers_.end()) return known->second;
    std::vector<std::string>& strings = answers_[script];
    try {
        const Value answer = ask_(script);
        constexpr int64_t kMax = 10'000;
        for (int64_t i = 0; i < std::min(answer.size(), kMax); ++i) {
            const Value item = answer.at(i);
            if (item.isString()) strings.emplace_back(item.string());
        }
    } catch (const Error&) {
        strings.clear();
    }
    return strings;
}

NameKind RemoteNames::kindOf(std::string_view name) const {
    const auto& known = entries();
    const auto it = known.find(name);
    return it == known.end() ? NameKind::Unknown : it->second.kind;
}

std::vector<NameInfo> RemoteNames::names() const {
    std::vector<NameInfo> infos;
    for (const auto& [name, entry] : entries()) infos.push_back({name, entry.kind});
    return infos;
}

std::string RemoteNames::signatureOf(std::string_view function) const {
    const auto& known = entries();
    const auto it = known.find(function);
    return it == known.end() ? "" : it->second.signature;
}

std::vector<std::string> RemoteNames::membersOf(std::string_view name) const {
    switch (kindOf(name)) {
        case NameKind::Table:
            return stringsOf(fmt::format("exec name from schema({}).colDefs", name));
        case NameKind::Dictionary:
            return stringsOf(fmt::format("string(keys({}))", name));
        default:
            return {};
    }
}

bool RemoteNames::isTaken(std::string_view name, const Takes& takes) const {
    const auto& known = entries();
    const auto it = known.find(name);
    if (it == known.end()) return true;
    if (it->second.kind == NameKind::Table) return takes.accepts(Value::of(Ref<Table>(makeRef<MemoryTable>())));
    return it->second.example.isVoid() || takes.accepts(it->second.example);
}

std::string RemoteNames::databaseOf(std::string_view name) const {
    if (kindOf(name) != NameKind::Database) return "";
    const std::vector<std::string>& path = stringsOf(fmt::format("[string(schema({}).databaseDir)]", name));
    return path.empty() ? "" : path[0];
}

std::vector<std::string> RemoteNames::databases() const {
    return stringsOf("getClusterDFSDatabases()");
}

std::vector<std::string> RemoteNames::tablesOf(const std::string& database) const {
    return stringsOf(fmt::format("getTables(database({}))", literal(database)));
}

std::vector<std::string> RemoteNames::columnsOf(const std::string& database, const std::string& table) const {
    return stringsOf(
        fmt::format("exec name from schema(loadTable({}, {})).colDefs", literal(database), literal(table)));
}

}  // namespace pelorus

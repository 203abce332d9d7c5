#include "runtime/table/table_access.h"

#include <fmt/format.h>

#include <unordered_set>
#include <vector>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/function/instance.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

namespace {

// Every table that sessions share has a lock.
bool isShared(const Table& table) {
    const MemoryTable* memory = const_cast<Table&>(table).asMemory();
    return memory && memory->lock;
}

const Principal& userOf(const Context& context, const Table& table) {
    const Principal* caller = context.callerTables ? context.callerTables->passedBy(table) : nullptr;
    return caller ? *caller : context.principal();
}

bool mayHoldTables(const Value& value) {
    return value.isTable() || value.isTuple() || value.isFunction() || isInstance(value) || value.isChart() ||
           (value.isDictionary() && value.dictionary().valueType() == Type::Any);
}

// Calls `use` with each table within the value. Values may hold themselves, and be nested as deep as memory allows.
template <class Use>
void forEachTable(const Value& value, HeldValues held, const Use& use) {
    std::vector<Value> pending;
    std::unordered_set<const Object*> seen;
    const auto add = [&](const Value& v) {
        if (v.hasObject() && mayHoldTables(v) && seen.insert(v.object()).second) pending.push_back(v);
    };
    add(value);
    while (!pending.empty()) {
        const Value v = std::move(pending.back());
        pending.pop_back();
        if (v.isTable()) {
            use(v.table());
            const Ref<MemoryTable> rows = tableToRead(v);
            for (int c = 0; rows && c < rows->columnCount(); ++c) {
                if (rows->columns()[static_cast<size_t>(c)].type == Type::Any) add(rows->column(c));
            }
        } else if (v.isTuple()) {
            for (const Value& element : v.tuple().elements) add(element);
        } else if (v.isDictionary() || v.isChart()) {
            for (int64_t i = 0; i < v.dictionary().size(); ++i) add(v.dictionary().valueAt(i));
        } else if (isInstance(v)) {
            for (const Value& element : v.as<Instance>()->values()) add(element);
        } else {
            for (const Value& element : v.function().heldValues()) {
                // The source text of a function names a table that it holds, and shows no rows of it.
                if (held == HeldValues::All || !element.isTable()) add(element);
            }
        }
    }
}

}  // namespace

void CallerTables::add(const Ref<Table>& table) {
    if (!isShared(*table)) return;
    const MutexLock lock(mutex_);
    tables_.emplace(&*table, table);
}

const Principal* CallerTables::passedBy(const Table& table) const {
    if (const Principal* first = outer_ ? outer_->passedBy(table) : nullptr) return first;
    const MutexLock lock(mutex_);
    return tables_.contains(&table) ? &caller_ : nullptr;
}

void requireAccess(const Context& context, const Table& table, Right right) {
    if (!isShared(table)) return;
    if (right != Right::Read) context.request->principal().requireChanges("A change of a shared table");
    if (!TableAccess::controlsAny()) return;
    if (const auto* access = context.service<TableAccess>()) access->require(table, right, userOf(context, table));
}

bool hasAccess(const Context& context, const Table& table, Right right) {
    if (!TableAccess::controlsAny() || !isShared(table)) return true;
    const auto* access = context.service<TableAccess>();
    return !access || access->allows(table, right, userOf(context, table));
}

void requireAccessWithin(const Context& context, const Value& value, Right right, HeldValues held) {
    if (!TableAccess::controlsAny() || !value.hasObject()) return;
    forEachTable(value, held, [&](const Table& table) { requireAccess(context, table, right); });
}

void refuseTablesOfCaller(const Context& context, const Value& value, std::string_view what) {
    if (context.callerTables == nullptr || !value.hasObject()) return;
    forEachTable(value, HeldValues::All, [&](const Table& table) {
        if (!context.callerTables->passedBy(table)) return;
        throw UserError(
            fmt::format("A function view cannot pass a shared table of its caller to {}, which would use it "
                        "with the rights of the view's definer.",
                        what),
            "Select the rows in the view and pass those.");
    });
}

}  // namespace pelorus

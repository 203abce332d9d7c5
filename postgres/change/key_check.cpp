#include "postgres/change/key_check.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "common/thread/mutex.h"
#include "postgres/sql_error.h"
#include "postgres/steps/plan_steps.h"
#include "postgres/typing/typed.h"
#include "runtime/table/table_keys.h"
#include "sql/execute.h"

namespace pelorus::postgres {

namespace {

constexpr size_t kTurns = 64;

// Each orders the inserts into the tables whose names have its hash. They guard no member.
std::array<Mutex, kTurns>& allTurns() {
    static std::array<Mutex, kTurns> turns;
    return turns;
}

std::vector<Value> columnsOf(const MemoryTable& rows, const std::vector<std::string>& names) {
    std::vector<Value> columns;
    for (const std::string& name : names) columns.push_back(*rows.column(name));
    return columns;
}

// Returns the keys of the table whose first column has one of these values.
Ref<MemoryTable> knownKeys(const Value& table, const std::vector<std::string>& names, const Value& first,
                           Context& context) {
    Ref<Query> query = makeRef<Query>(SourcePosition());
    query->table = nameNode("pgTarget");
    for (const std::string& name : names) query->items.push_back({nameNode(name), {name}, {}});
    query->where.push_back(binaryNode(Operator::In, nameNode(names[0]), nameNode("pgKeys")));
    StepScope scope;
    scope.set("pgTarget", table);
    scope.set("pgKeys", first);
    const PlanStep steps[] = {{"pgKnown", query, {}, {}}};
    runSteps(steps, scope, context);
    return Ref<MemoryTable>(scope.get("pgKnown").table().asMemory());
}

}  // namespace

std::vector<std::string> keyColumns(const TargetTable& target) {
    std::vector<std::pair<int, std::string>> places;
    for (const TargetColumn& column : target.columns)
        if (column.declared.keyPlace > 0) places.emplace_back(column.declared.keyPlace, column.schema.name);
    std::sort(places.begin(), places.end());
    std::vector<std::string> names;
    for (auto& place : places) names.push_back(std::move(place.second));
    return names;
}

void refuseKey(const std::string& table) {
    throw SqlError("23505", fmt::format("duplicate key value violates unique constraint \"{}_pkey\"", table));
}

void requireFreeKeys(const RowsOfTarget& part, Context& context) {
    const std::vector<std::string> names = keyColumns(*part.target);
    if (names.empty()) return;
    const std::vector<Value> keys = columnsOf(*part.rows, names);
    std::vector<Type> types;
    for (const Value& key : keys) types.push_back(key.type());
    CompositeKeyIndex added(types);
    added.insertAll(keys);
    if (added.size() < part.rows->rowCount()) refuseKey(part.target->name);
    const Ref<MemoryTable> known = knownKeys(part.target->open(context), names, keys[0], context);
    if (known->rowCount() == 0) return;
    const std::vector<int32_t> found = added.findAll(columnsOf(*known, names));
    if (std::any_of(found.begin(), found.end(), [](int32_t place) { return place >= 0; })) refuseKey(part.target->name);
}

// Holds the turns of some tables, taken in one order by all.
class KeyCheck::Turns {
public:
    explicit Turns(std::set<size_t> numbers) NO_THREAD_SAFETY_ANALYSIS : numbers_(std::move(numbers)) {
        for (const size_t number : numbers_) allTurns()[number].lock();
    }
    ~Turns() NO_THREAD_SAFETY_ANALYSIS {
        for (const size_t number : numbers_) allTurns()[number].unlock();
    }
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

private:
    const std::set<size_t> numbers_;
};

KeyCheck::KeyCheck(const std::vector<RowsOfTarget>& parts, Context& context) {
    std::set<size_t> numbers;
    for (const RowsOfTarget& part : parts) {
        if (keyColumns(*part.target).empty()) continue;
        numbers.insert(std::hash<std::string>()(part.target->database + '\n' + part.target->name) % kTurns);
    }
    if (numbers.empty()) return;
    turns_ = std::make_unique<Turns>(std::move(numbers));
    for (const RowsOfTarget& part : parts) requireFreeKeys(part, context);
}

KeyCheck::~KeyCheck() = default;

void requireNewKeys(const MemoryTable& table, const MemoryTable& rows, const std::string& name) {
    const std::vector<Value> keys = columnsOf(rows, table.keys()->columns());
    std::vector<Type> types;
    for (const Value& key : keys) types.push_back(key.type());
    CompositeKeyIndex added(types);
    added.insertAll(keys);
    const std::vector<int32_t> known = table.keys()->find(table, keys);
    if (added.size() < rows.rowCount() || std::any_of(known.begin(), known.end(), [](int32_t row) { return row >= 0; }))
        refuseKey(name);
}

}  // namespace pelorus::postgres

#include "sql/change/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "common/error.h"
#include "common/language_settings.h"
#include "interpreter/engine/engine.h"
#include "interpreter/session/session.h"
#include "runtime/append/append_rows.h"
#include "runtime/append/row_access.h"
#include "runtime/append/script_transaction.h"
#include "runtime/code/column_name.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/registry/registry.h"
#include "runtime/table/assign_rows.h"
#include "runtime/table/audited_data.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/growing_table.h"
#include "runtime/table/remote_partitions.h"
#include "runtime/table/row_numbers.h"
#include "runtime/table/stored_table.h"
#include "runtime/table/table_access.h"
#include "runtime/table/table_changes.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/bind/nodes/bind_select.h"
#include "sql/bind/qualified_names.h"
#include "sql/bind/sources.h"
#include "sql/change/remote_change.h"
#include "sql/change/row_change.h"
#include "sql/change/shared_change.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/constraint.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/scan/materialise.h"
#include "sql/operators/select_rows.h"
#include "sql/operators/window/context_rows.h"
#include "sql/physical/dependent_join.h"
#include "sql/physical/run_source.h"
#include "sql/physical/run_subqueries.h"
#include "sql/plan/row_source.h"
#include "sql/plan/rules/prune.h"
#include "sql/plan/select_plan.h"
#include "sql/rewrite/converted_constants.h"
#include "sql/rewrite/mistyped_dates.h"
#include "sql/rewrite/text_indexes.h"

namespace pelorus {

namespace {

// Resets the result of matchedRowCount. Changes that begin count from zero.
void beginCount(const Context& context) {
    if (context.session) static_cast<Session*>(context.session)->matchedRows = 0;
}
void countMatched(const Context& context, int64_t rows) {
    if (context.session) static_cast<Session*>(context.session)->matchedRows += rows;
}

constexpr const char* kRowColumn = " row";

// Scope that resolves each name of the changing table to that table with the numbers of its rows.
class NumberedScope final : public Scope {
public:
    NumberedScope(const Scope* outer, const Table& changed, Ref<MemoryTable> numbered)
        : outer_(outer), changed_(changed), numbered_(std::move(numbered)) {}
    bool lookup(std::string_view name, Value& value) const override {
        if (!outer_ || !outer_->lookup(name, value)) return false;
        if (value.isTable() && &value.table() == &changed_) value = Value::of(Ref<Table>(numbered_));
        return true;
    }
    std::string nameOf(const Object& object) const override {
        if (!outer_) return "";
        return outer_->nameOf(&object == numbered_.get() ? static_cast<const Object&>(changed_) : object);
    }

private:
    const Scope* outer_;
    const Table& changed_;
    Ref<MemoryTable> numbered_;
};

// Input of the conditions and new values of a change: the rows of the table itself, or those of its `from`, each with
// the number of the row of the table that it came from.
struct ChangeSource {
    Ref<Query> query;  // with its names resolved
    Ref<MemoryTable> rows;
    std::vector<int32_t> target;  // empty: row i is row i of the table
};

ChangeSource changeSource(const Query& query, const Table& named, MemoryTable& table, Context& context) {
    ChangeSource source;
    if (!query.updateSource) {
        source.rows = Ref<MemoryTable>(&table);
        source.query = withDependentColumns(query, source.rows, context);
        source.query = withConvertedConstants(withSubqueries(*source.query, table.columns(), context), table.columns());
        return source;
    }
    std::vector<int32_t> numbers(static_cast<size_t>(table.rowCount()));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
    Ref<MemoryTable> numbered = table.copy();
    numbered->setColumn(kRowColumn, Value::of(Vector::of(Type::Int, numbers)));
    NumberedScope scope(context.scope, named, numbered);
    Context inner = context;
    inner.scope = &scope;
    Ref<Query> joined = copyQuery(query);
    joined->table = query.updateSource;
    joined->tableAlias = query.updateSourceAlias;
    const RowSource from = resolveSource(*joined, inner);
    source.query = withSubqueries(*resolveQualifiedNames(*joined, from), from.columns(), context);
    source.rows = materialise(Value::of(from.table), inner);
    const Value* rowOf = source.rows->column(kRowColumn);
    if (!rowOf) {
        throw UserError("The table that changes must be in from, as in update t set … from lj(t, other, `id).");
    }
    for (int64_t i = 0; i < rowOf->size(); ++i)
        source.target.push_back(static_cast<int32_t>(rowOf->vector().asLong(i)));
    return source;
}

// Returns positions of the source's rows that satisfy the conditions of a change.
std::vector<int32_t> matchingRows(const ChangeSource& source, Context& context) {
    const MemoryTable& table = *source.rows;
    requireRowNumbers(table.rowCount());
    std::vector<int32_t> rows;
    for (int32_t i = 0; i < table.rowCount(); ++i) {
        if (source.target.empty() || source.target[static_cast<size_t>(i)] >= 0) rows.push_back(i);
    }
    for (const NodeRef& condition : source.query->where) {
        refuseMistypedDates(condition, table.columns());
        const ExpressionProgram e = bindProgram(condition, table.columns(), context);
        Ref<MemoryTable> left = table.gather(rows.data(), static_cast<int64_t>(rows.size()));
        std::vector<int32_t> kept = rowsWhere(e.evaluate(context, *left), left->rowCount(), "where");
        for (int32_t& r : kept) r = rows[static_cast<size_t>(r)];
        rows = std::move(kept);
    }
    return rows;
}

// Maps positions of the source to rows of the table.
std::vector<int32_t> targetRows(const ChangeSource& source, std::vector<int32_t> rows) {
    if (source.target.empty()) return rows;
    for (int32_t& row : rows) row = source.target[static_cast<size_t>(row)];
    return rows;
}

}  // namespace

// One group of context by: positions among the chosen rows, in the order of csort.
struct ChangeGroup {
    std::vector<int32_t> rows;
    Ref<MemoryTable> content;
};

// Returns the groups that pass having; a condition per row keeps some of the rows only, which are then marked.
static std::vector<ChangeGroup> changeGroups(const Query& query, const MemoryTable& chosen, std::vector<char>& kept,
                                             Context& context) {
    std::vector<OutputItem> keys;
    for (const SelectItem& key : query.groupBy) keys.push_back({{defaultColumnName(*key.value)}, key.value, false});
    std::vector<ChangeGroup> groups;
    for (std::vector<int32_t>& rows : groupRows(keys, chosen, context).rows) {
        ChangeGroup group{std::move(rows), Ref<MemoryTable>()};
        group.content = chosen.gather(group.rows.data(), static_cast<int64_t>(group.rows.size()));
        if (!query.csort.empty()) {
            std::vector<int32_t> sorted;
            const std::vector<OrderKey> order = orderKeys(query.csort, *group.content, context);
            for (const int32_t at : sortPositions(order, group.content->rowCount()))
                sorted.push_back(group.rows[static_cast<size_t>(at)]);
            group.rows = std::move(sorted);
            group.content = chosen.gather(group.rows.data(), static_cast<int64_t>(group.rows.size()));
        }
        if (query.having) {
            const ExpressionProgram e = bindProgram(query.having, chosen.columns(), context);
            std::vector<int8_t> passes(group.rows.size());
            for (int32_t i : rowsWhere(e.evaluate(context, *group.content), group.content->rowCount(), "having"))
                passes[static_cast<size_t>(i)] = 1;
            for (size_t i = 0; i < group.rows.size(); ++i) {
                if (!passes[i]) kept[static_cast<size_t>(group.rows[i])] = 0;
            }
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

// Changes rows of a table in memory; returns how many. `named` is the table that scripts know these rows by.
static int64_t updateRows(const Query& given, const Table& named, MemoryTable& table, Context& context,
                          std::vector<int32_t>* matched) {
    if (table.keys()) {
        for (const SelectItem& item : given.items) table.keys()->refuseChangeOf(item.aliases.at(0));
    }
    const ChangeSource source = changeSource(given, named, table, context);
    const Query& query = *source.query;
    std::vector<int32_t> rows = matchingRows(source, context);
    const Ref<MemoryTable> chosen = source.rows->gather(rows.data(), static_cast<int64_t>(rows.size()));
    const bool grouped = query.grouping == GroupKind::Context;
    std::vector<char> kept(rows.size(), 1);
    std::vector<ChangeGroup> groups;
    if (grouped) groups = changeGroups(query, *chosen, kept, context);
    // Right sides see the old values: all are computed before any is stored.
    std::vector<std::pair<std::string, Value>> changes;
    for (const SelectItem& item : query.items) {
        const ExpressionProgram e = bindProgram(item.value, chosen->columns(), context);
        if (!grouped) {
            changes.emplace_back(item.aliases.at(0), e.evaluate(context, *chosen));
            continue;
        }
        std::vector<Value> results(rows.size());
        for (const ChangeGroup& group : groups) {
            Value v = e.evaluate(context, *group.content);
            if (!v.isScalar()) v = rowsOfGroup(v, group.content->rowCount());
            for (size_t i = 0; i < group.rows.size(); ++i) {
                results[static_cast<size_t>(group.rows[i])] = v.isScalar() ? v : v.at(static_cast<int64_t>(i));
            }
        }
        changes.emplace_back(item.aliases.at(0), listOf(std::move(results)));
    }
    std::vector<int32_t> target = targetRows(source, rows);
    if (query.having) {
        for (size_t i = 0; i < kept.size(); ++i) {
            if (!kept[i]) target[i] = -1;
        }
    }
    if (matched != nullptr) *matched = target;
    std::vector<std::pair<std::string, Value>> columns;
    for (auto& [name, value] : changes) {
        int c = table.findColumn(name);
        if (c >= 0) name = table.columns()[static_cast<size_t>(c)].name;
        Value column;
        if (c >= 0) {
            column = table.column(c);
            column.makeUnique();
        } else {
            if (value.isVoid()) {
                throw UserError("Not allowed to create void vector. RefId: S05005",
                                fmt::format("Give the column {} a NULL of its type, for example 00F.", name));
            }
            column = filledColumn(value.type(), value.extra(), table.rowCount());
        }
        assignRows(column, target, value, name);
        columns.emplace_back(name, std::move(column));
    }
    for (auto& [name, column] : columns) table.setColumn(name, std::move(column));
    return static_cast<int64_t>(rows.size());
}

static int64_t deleteRows(const Query& given, const Table& named, MemoryTable& table, Context& context,
                          std::vector<int32_t>* matched) {
    requireRowNumbers(table.rowCount());
    const ChangeSource source = changeSource(given, named, table, context);
    std::vector<char> doomed(static_cast<size_t>(table.rowCount()), 0);
    const std::vector<int32_t> rows = targetRows(source, matchingRows(source, context));
    for (int32_t row : rows) doomed[static_cast<size_t>(row)] = 1;
    if (matched != nullptr) *matched = rows;
    std::vector<int32_t> kept;
    for (int32_t r = 0; r < table.rowCount(); ++r) {
        if (!doomed[static_cast<size_t>(r)]) kept.push_back(r);
    }
    Ref<MemoryTable> rest = table.gather(kept.data(), static_cast<int64_t>(kept.size()));
    table.mutableColumns() = rest->mutableColumns();
    return static_cast<int64_t>(rows.size());
}

int64_t changeRows(const Query& query, const Table& named, MemoryTable& rows, Context& context,
                   std::vector<int32_t>* matched) {
    return query.verb == QueryVerb::Update ? updateRows(query, named, rows, context, matched)
                                           : deleteRows(query, named, rows, context, matched);
}

// Returns the new rows of these partitions; null where none changes. What other nodes keep is computed there, unless
// the statement reads other tables, too.
static std::vector<Ref<MemoryTable>> changedPartitions(const Query& query, PartitionedTable& table,
                                                       const std::shared_ptr<TableSnapshot>& snapshot,
                                                       const std::vector<size_t>& partitions, Context& context) {
    std::vector<Ref<MemoryTable>> results;
    if (auto* remote = dynamic_cast<RemotePartitions*>(snapshot.get());
        remote != nullptr && !query.updateSource && query.joins.empty()) {
        const std::vector<std::string> nodes = remote->openNodes(partitions);
        if (std::any_of(nodes.begin(), nodes.end(), [](const std::string& node) { return !node.empty(); })) {
            for (ChangedPart& part : changedParts(query, table, snapshot, partitions, context)) {
                countMatched(context, part.matched);
                results.push_back(std::move(part.rows));
            }
            return results;
        }
    }
    for (const size_t partition : partitions) {
        context.checkCancelled();
        Ref<MemoryTable> rows = readRows(*snapshot->open(partition), table.columns());
        const int64_t matched = changeRows(query, table, *rows, context);
        countMatched(context, matched);
        results.push_back(matched > 0 ? std::move(rows) : Ref<MemoryTable>());
    }
    return results;
}

// atomic='CHUNK': each partition is a separate transaction, tried again after a conflict.
static void changeOneByOne(const Query& query, PartitionedTable& table, const std::vector<size_t>& chosen,
                           const TableSnapshot& first, Context& context) {
    constexpr int kAttempts = 250;
    for (const size_t partition : chosen) {
        const std::string& path = first.partitions()[partition].path;
        for (int attempt = 0;; ++attempt) {
            context.checkCancelled();
            const std::shared_ptr<TableSnapshot> snapshot = table.takeSnapshot();
            const auto& now = snapshot->partitions();
            const auto at = std::find_if(now.begin(), now.end(), [&](const auto& p) { return p.path == path; });
            if (at == now.end()) break;
            const auto position = static_cast<size_t>(at - now.begin());
            const Ref<MemoryTable> rows = changedPartitions(query, table, snapshot, {position}, context)[0];
            if (!rows) break;
            if (table.replace(*snapshot, {{position, rows}})) break;
            if (attempt >= kAttempts) {
                throw SystemError(
                    fmt::format("<ChunkInTransaction>The partition {} of {} changes all the time; partitions "
                                "before it have been changed.",
                                path, table.name),
                    "Run it again.", true);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(std::min(attempt, 20)));
        }
    }
}

// Adds columns that an update names and a table in memory lacks, with the type of the first rows' values.
static void addNewColumns(const Query& query, PartitionedTable& table, Context& context) {
    auto* growing = dynamic_cast<GrowingTable*>(&table);
    if (growing == nullptr || query.verb != QueryVerb::Update) return;
    for (const SelectItem& item : query.items) {
        if (table.findColumn(item.aliases.at(0)) >= 0) continue;
        const auto snapshot = table.takeSnapshot();
        const Ref<MemoryTable> rows = snapshot->partitions().empty() ? MemoryTable::empty(table.columns())
                                                                     : readRows(*snapshot->open(0), table.columns());
        const Value value = bindProgram(item.value, rows->columns(), context).evaluate(context, *rows);
        if (value.isVoid()) {
            throw UserError("Not allowed to create void vector. RefId: S05005",
                            fmt::format("Give the column {} a NULL of its type, for example 00F.", item.aliases.at(0)));
        }
        growing->addColumn({item.aliases.at(0), value.type(), static_cast<uint8_t>(value.extra()), ""});
    }
}

static bool isPartitionColumn(const PartitionedTable& table, const std::string& name) {
    const auto& keys = table.partitionColumns();
    return std::find(keys.begin(), keys.end(), name) != keys.end();
}

// Whether the update may move rows to another partition.
static bool changesPartitionColumn(const Query& query, const PartitionedTable& table) {
    return query.verb == QueryVerb::Update &&
           std::any_of(query.items.begin(), query.items.end(),
                       [&](const SelectItem& item) { return isPartitionColumn(table, item.aliases.at(0)); });
}

// Throws when the rows of a group, or those that an expression reads, may be in several partitions.
static void requireOnePartitionEach(const Query& query, const PartitionedTable& table, Context& context) {
    if (query.map) return;
    for (const NodeRef& condition : query.where) {
        if (readsOtherRows(*condition, context)) {
            throw UserError(
                "The conditions of a change look at rows of several partitions: aggregates and order-sensitive "
                "functions see one partition only.",
                "Add map to run the statement within each partition, or compare with a query in brackets, as in where "
                "x > (exec avg(x) from t).");
        }
    }
    if (query.groupBy.empty()) return;
    for (const std::string& name : table.partitionColumns()) {
        const bool isKey = std::any_of(query.groupBy.begin(), query.groupBy.end(), [&](const SelectItem& key) {
            const Node* node = key.value.get();
            // date(ts) where ts is partitioned by date
            if (node->kind == NodeKind::Call && static_cast<const Call*>(node)->arguments.size() == 1)
                node = static_cast<const Call*>(node)->arguments[0].value.get();
            return node->kind == NodeKind::Name && static_cast<const Name*>(node)->name == name;
        });
        if (!isKey) {
            throw UserError(
                fmt::format("The groups of context by may lie in several partitions: {} is not among its columns.",
                            name),
                "Group by all partition columns, or choose the rows of one partition with where.");
        }
    }
}

// Partitions that may hold matching rows are read, changed and replaced as one transaction. When another transaction
// added rows to one of them meanwhile, all is repeated on its new state.
static void changePartitions(const Query& query, PartitionedTable& table, Context& context) {
    if (auto* access = dynamic_cast<RowAccess*>(&table)) {
        beginCount(context);
        return countMatched(context, changeRowTable(query, table, *access, context));
    }
    auto* stored = dynamic_cast<StoredTable*>(&table);
    if (stored != nullptr) ScriptTransaction::refuse("An update or delete of the table of columns " + table.name);
    addNewColumns(query, table, context);
    for (;;) {
        beginCount(context);
        const std::shared_ptr<TableSnapshot> snapshot = table.takeSnapshot();
        std::vector<ColumnConstraint> constraints;
        for (const NodeRef& condition : query.where) {
            ColumnConstraint constraint;
            if (constraintOf(*condition, table.columns(), context, constraint))
                constraints.push_back(std::move(constraint));
        }
        const std::vector<size_t> chosen = prunePartitions(table, *snapshot, constraints);
        if (chosen.size() > 1) requireOnePartitionEach(query, table, context);
        const bool moves = changesPartitionColumn(query, table);
        if (stored != nullptr && stored->commitsByPartition() && !moves)
            return changeOneByOne(query, table, chosen, *snapshot, context);
        std::vector<std::pair<size_t, Ref<MemoryTable>>> changed;
        const std::vector<Ref<MemoryTable>> results = changedPartitions(query, table, snapshot, chosen, context);
        for (size_t i = 0; i < chosen.size(); ++i) {
            if (results[i]) changed.emplace_back(chosen[i], results[i]);
        }
        if (changed.empty()) return;
        if (moves ? stored->replaceAndMove(*snapshot, changed) : table.replace(*snapshot, changed)) return;
    }
}

static void checkUpdate(const Query& query, const PartitionedTable& table, Context& context) {
    for (const SelectItem& item : query.items) {
        if (query.groupBy.empty() && readsOtherRows(*item.value, context)) {
            throw UserError(
                "Aggregate or order-sensitive functions are not allowed without context by clause when updating a "
                "partitioned table.",
                "Add context by with the columns whose rows belong together.");
        }
        const std::string& name = item.aliases.at(0);
        if (dynamic_cast<const StoredTable*>(&table) == nullptr && isPartitionColumn(table, name)) {
            throw UserError(
                fmt::format("The partition column {} can't be updated: its rows would leave their partition.", name),
                "Delete the rows and append them with the new value.");
        }
        if (table.findColumn(name) < 0 && dynamic_cast<const GrowingTable*>(&table) == nullptr) {
            throw unknownColumn(name, table.columns());
        }
    }
}

static void changeTable(const Query& given, Context& context) {
    Ref<Query> target = copyQuery(given);
    if (given.updateSource) target->joins.clear();  // they belong to its from
    RowSource source = resolveSource(*target, context);
    Ref<Query> query = given.updateSource ? copyQuery(given) : resolveQualifiedNames(given, source);
    if (source.partitioned()) {
        source.partitioned()->require(context.principal(),
                                      given.verb == QueryVerb::Update ? Right::Update : Right::Delete);
        checkUpdate(*query, *source.partitioned(), context);
        // Subqueries are evaluated once, not for each partition.
        query = given.updateSource ? copyQuery(*query) : withSubqueries(*query, source.columns(), context);
        query = withConvertedConstants(query, source.columns());
        for (NodeRef& condition : query->where) condition = withTextIndexes(condition, *source.partitioned());
        const bool isUpdate = given.verb == QueryVerb::Update;
        AuditedData audited(context, isUpdate ? "SQL_UPDATE" : "SQL_DELETE", *source.partitioned(),
                            isAuditing() ? "script=[" + toSource(given) + ']' : "",
                            AuditedChange::Durability::Unsynced);
        changePartitions(*query, *source.partitioned(), context);
        if (audited.isAudited() && context.session)
            audited.done(fmt::format("{}={}", isUpdate ? "updatedRows" : "deletedRows",
                                     static_cast<Session*>(context.session)->matchedRows));
        return audited.done();
    }
    const Ref<MemoryTable> held = source.shared ? source.shared : Ref<MemoryTable>(source.memory());
    MemoryTable& table = *held;
    requireChangeable(table);
    beginCount(context);
    if (!table.lock) {
        countMatched(context, changeRows(*query, table, table, context));
        return table.keep();
    }
    const auto compute = [&](MemoryTable& rows) {
        beginCount(context);
        const int64_t matched = changeRows(*query, table, rows, context);
        countMatched(context, matched);
        return matched > 0 || query->verb == QueryVerb::Update;
    };
    changeShared(*query, table, compute, context);
}

void executeUpdate(const Query& query, Context& context) {
    requireGroupsOfClauses(query, false);
    if (query.grouping != GroupKind::None && query.grouping != GroupKind::Context) {
        throw UserError(query.groupBy[0].value->position, "update computes per group with context by only.",
                        "Write context by: each row of a group takes the group's value.");
    }
    changeTable(query, context);
}

void executeDelete(const Query& query, Context& context) {
    if (query.table->kind != NodeKind::Call) return changeTable(query, context);
    const auto& call = static_cast<const Call&>(*query.table);
    if (call.arguments.empty() || !isJoinFunction(call)) return changeTable(query, context);
    // delete from lj(t, other, …): the rows of t that the join finds
    Ref<Query> copy = copyQuery(query);
    copy->table = call.arguments[0].value;
    copy->updateSource = query.table;
    changeTable(*copy, context);
}

// Returns one part of the values that were given for the columns `names` as rows: a scalar is as many elements of its
// column's type as the part has rows.
static Ref<MemoryTable> blockToInsert(const TableSchema& columns, const std::vector<std::string>& names,
                                      const std::vector<std::vector<Value>>& given, size_t part) {
    int64_t rows = 1;
    for (const auto& column : given) {
        if (column[part].isVector()) rows = column[part].size();
    }
    auto block = makeRef<MemoryTable>();
    for (const ColumnSchema& c : columns) {
        auto it = std::find(names.begin(), names.end(), c.name);
        Value v = it == names.end() ? Value() : given[static_cast<size_t>(it - names.begin())][part];
        if (v.isScalar()) {
            v = filledColumn(c.type, c.scale, rows,
                             c.type == Type::Any ? v : castForStorage(v, c.type, c.name, c.scale));
        }
        block->setColumn(c.name, v);
    }
    return block;
}

// Returns the rows to insert, with the columns that a writer of the table passes: missing ones are NULL.
static Ref<MemoryTable> rowsToInsert(const Query& query, const Table& table, Context& context) {
    const TableSchema columns(table.columns().begin(), table.columns().begin() + writtenColumns(table));
    std::vector<std::string> names = query.insertColumns;
    if (names.empty()) {
        for (const ColumnSchema& c : columns) names.push_back(c.name);
    }
    for (std::string& name : names) {
        if (const int c = table.findColumn(name); c >= 0) name = table.columns()[static_cast<size_t>(c)].name;
    }
    std::vector<std::vector<Value>> given(names.size());
    auto add = [&](size_t count, const std::function<Value(size_t)>& value) {
        if (count != names.size()) {
            TableSchema meant;
            for (const ColumnSchema& c : table.columns()) {
                if (std::find(names.begin(), names.end(), c.name) != names.end()) meant.push_back(c);
            }
            throw UserError(
                fmt::format("The number of values to insert must be {}, but it is {}.", names.size(), count),
                typedColumnsNote(meant));
        }
        for (size_t i = 0; i < count; ++i) given[i].push_back(value(i));
    };
    if (query.insertSource) {
        Value source = evaluateCode(query.insertSource, context);
        Ref<MemoryTable> rows = materialise(source, context);
        add(static_cast<size_t>(rows->columnCount()), [&](size_t i) { return rows->column(static_cast<int>(i)); });
    }
    for (const NodeList& row : query.insertRows) {
        std::vector<Value> values;
        for (const NodeRef& node : row) values.push_back(evaluateCode(node, context));
        // values(tuple): its elements are the columns.
        if (values.size() == 1 && names.size() != 1 && values[0].isTuple()) {
            const std::vector<Value> columns = values[0].tuple().elements;
            values = columns;
        }
        // values(table): its columns, by position.
        if (values.size() == 1 && values[0].isTable() && !(names.size() == 1 && table.columns()[0].type == Type::Any)) {
            Ref<MemoryTable> rows = materialise(values[0], context);
            add(static_cast<size_t>(rows->columnCount()), [&](size_t i) { return rows->column(static_cast<int>(i)); });
            continue;
        }
        add(values.size(), [&](size_t i) { return values[i]; });
    }
    const size_t parts = given.empty() ? 0 : given[0].size();
    Ref<MemoryTable> result = MemoryTable::empty(columns);
    for (size_t part = 0; part < parts; ++part) {
        const Ref<MemoryTable> block = blockToInsert(columns, names, given, part);
        for (const std::string& name : names) {
            if (table.findColumn(name) < 0) throw unknownColumn(name, table.columns());
        }
        const bool hasTypes =
            std::all_of(given.begin(), given.end(), [&](const auto& c) { return c[part].isScalar(); });
        if (hasTypes && parts == 1) return block;
        result->append(*block);
    }
    return result;
}

// Returns the table of an insert that hands its rows to a sink, such as a stream engine; null for other tables.
static Ref<Table> sinkNamed(const Query& query, const Context& context) {
    Value value;
    if (!query.table || query.table->kind != NodeKind::Name || !context.scope) return Ref<Table>();
    const bool isKnown = context.scope->lookup(static_cast<const Name&>(*query.table).name, value);
    return isKnown && value.isTable() && value.table().asSink() ? Ref<Table>(&value.table()) : Ref<Table>();
}

void executeInsert(const Query& query, Context& context) {
    if (const Ref<Table> sink = sinkNamed(query, context)) {
        beginCount(context);
        requireAccess(context, *sink, Right::Insert);
        Value target = Value::of(sink);
        countMatched(context, appendToTable(context, target, *rowsToInsert(query, *sink, context)).written);
        return;
    }
    RowSource source = resolveSource(query, context);
    beginCount(context);
    if (source.partitioned()) {
        if (!source.partitioned()->databasePath().empty() && !languageSettings().enableInsertStatementForDFSTable) {
            throw UserError("insert into works on tables in memory; this one is partitioned on disk.",
                            "Use tableInsert(t, rows) or t.append!(rows), or set enableInsertStatementForDFSTable.");
        }
        std::vector<Value> rows{Value::of(source.table),
                                Value::of(Ref<Table>(rowsToInsert(query, *source.table, context)))};
        countMatched(context, FunctionRegistry::instance().get("tableInsert").call(context, rows).asLong());
        return;
    }
    const Ref<MemoryTable> table = source.shared ? source.shared : Ref<MemoryTable>(source.memory());
    const Ref<MemoryTable> rows = rowsToInsert(query, *table, context);
    countMatched(context, appendToMemory(*table, *rows));
}

}  // namespace pelorus

#include "sql/explain/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "sql/bind/bind_source.h"
#include "sql/explain/side_conditions.h"
#include "sql/expression/unknown_value.h"
#include "sql/expression/with_scope.h"
#include "sql/physical/bound_query.h"
#include "sql/plan/index_text.h"
#include "sql/plan/node_text.h"
#include "sql/plan/rules/prune.h"
#include "sql/rewrite/standard_query.h"

namespace pelorus {

namespace {

class PlanPrinter {
public:
    PlanPrinter(Context& context, const Query& whole) : context_(context), whole_(whole) {}

    std::string string;

    void query(const Query& query, int depth, bool showsColumns = true) {
        const BoundQuery bound = boundQuery(query, context_);
        if (showsColumns) line(depth, "columns: " + columnsString(bound.plan->schema(context_)));
        node(*bound.plan, {bound.source.get(), &query}, depth);
        for (const SetOperation& other : query.unions) {
            line(depth, fmt::format("{}{}", setOperatorName(other.op), other.all ? " all" : ""));
            this->query(static_cast<const Query&>(*other.query), depth + 1, false);
        }
    }

    // Prints a statement that changes rows: what it would do, then what it reads for that.
    void change(const Query& query) {
        const std::string name = nameOf(*query.table);
        if (query.verb == QueryVerb::Insert) return insert(query, name);
        std::vector<std::string> values;
        for (const SelectItem& item : query.items) values.push_back(item.aliases.at(0) + " = " + toSource(*item.value));
        const bool isUpdate = query.verb == QueryVerb::Update;
        line(0, isUpdate ? "update " + name + ": " + listed(values) : "delete from " + name);
        this->query(*rowsOfChange(query), 1, false);
    }

    void line(int depth, const std::string& what) {
        string += std::string(static_cast<size_t>(depth) * 2, ' ') + what + "\n";
    }

private:
    void insert(const Query& query, const std::string& name) {
        bindTable(query.table, "", context_);
        const size_t rows = query.insertRows.size();
        line(0, "insert into " + name + (rows > 0 ? fmt::format(": {} given rows", rows) : ""));
        if (!query.insertSource) return;
        if (query.insertSource->kind == NodeKind::Query)
            return this->query(static_cast<const Query&>(*query.insertSource), 1, false);
        line(1, toSource(*query.insertSource));
    }

    // Returns the select of the rows that an update or delete reads, with the values that it computes of them.
    static Ref<Query> rowsOfChange(const Query& change) {
        Ref<Query> rows = copyQuery(change);
        rows->verb = QueryVerb::Select;
        if (change.verb == QueryVerb::Delete) rows->items = {{makeRef<Star>(change.position), {}, {}}};
        if (!change.updateSource) return rows;
        rows->table = change.updateSource;
        rows->tableAlias = change.updateSourceAlias;
        rows->updateSource = NodeRef();
        return rows;
    }

    static std::string columnsString(const TableSchema& columns) {
        if (columns.empty()) return "as the rows decide";
        std::vector<std::string> parts;
        for (const ColumnSchema& c : columns) {
            const std::string scale = isDecimal(c.type) ? fmt::format("({})", c.scale) : "";
            parts.push_back(c.name + " " + (c.type == Type::Void ? "?" : std::string(typeName(c.type)) + scale));
        }
        return listed(parts);
    }

    // What a query reads, and that query. No source for one that reads nothing.
    struct Read {
        const SourceNode* source;
        const Query* query;
    };

    void node(const PlanNode& plan, const Read& read, int depth) {
        if (plan.kind == PlanNode::Kind::Scan) return scan(static_cast<const ScanNode&>(plan), read, depth);
        if (isShown(plan)) {
            std::istringstream lines(nodeText(plan));
            for (std::string text; std::getline(lines, text);) line(depth, text);
            ++depth;
        }
        if (plan.input) node(*plan.input, read, depth);
    }

    void scan(const ScanNode& scan, const Read& read, int depth) {
        const SourceNode& source = *read.source;
        const bool isJoin = source.kind == SourceNode::Kind::Join || source.kind == SourceNode::Kind::JoinFunction;
        depth = where(scan.conditions, depth);
        if (isJoin) return join(source, *read.query, depth);
        this->source(source, &scan, scan.conditions, depth);
    }

    // Prints conditions. Returns the depth of what they are about.
    int where(const NodeList& conditions, int depth) {
        if (conditions.empty()) return depth;
        std::vector<std::string> parts;
        for (const NodeRef& condition : conditions) parts.push_back(toSource(*condition));
        line(depth, "where " + listed(parts));
        return depth + 1;
    }

    // Prints a join and its sides, with the conditions that these take before it.
    void join(const SourceNode& join, const Query& query, int depth) {
        const std::vector<NodeList> conditions = conditionsOfSides(join, query, context_);
        const auto side = [&](const SourceNode& source, size_t i) {
            this->source(source, nullptr, conditions[i], where(conditions[i], depth + 1));
        };
        if (join.kind == SourceNode::Kind::JoinFunction) {
            line(depth, "join: " + toSource(*join.code));
            for (size_t i = 0; i < 2; ++i) {
                if (const SourceNode* of = static_cast<const JoinFunctionNode&>(join).side(i)) side(*of, i);
            }
            return;
        }
        const auto& joins = static_cast<const JoinNode&>(join);
        std::vector<std::string> later;
        for (const JoinClause& clause : joins.clauses)
            later.push_back(toSource(*clause.table) + (clause.on ? " on " + toSource(*clause.on) : ""));
        line(depth, "join: " + toSource(*join.code) + " with " + listed(later));
        for (size_t i = 0; i < joins.sides.size(); ++i) side(*joins.sides[i], i);
    }

    // Prints what is read, of which rows that satisfy the conditions. `scan`: how the query reads it, when it is no
    // side of a join.
    void source(const SourceNode& node, const ScanNode* scan, const NodeList& conditions, int depth) {
        using Kind = SourceNode::Kind;
        const NodeRef& table = node.code;
        if (node.kind == Kind::Derived) return query(static_cast<const Query&>(*table), depth, false);
        // Conditions of the query are about the rows of all joins.
        if (node.kind == Kind::Join || node.kind == Kind::JoinFunction)
            return join(node, *makeRef<Query>(table->position), depth);
        if (isOfWith(*table)) return line(depth, "scan " + nameOf(*table) + ", see with");
        const Value value = scan ? Value::of(scan->source.table) : static_cast<const TableSourceNode&>(node).table;
        if (!value.isTable()) return line(depth, toSource(*table));
        PartitionedTable* partitioned = value.table().asPartitioned();
        if (partitioned == nullptr) {
            return line(
                depth, fmt::format("scan {}: {} rows in memory", nameOf(*table), withCommas(value.table().rowCount())));
        }
        const std::shared_ptr<TableSnapshot> snapshot = partitioned->snapshot(context_.principal());
        std::vector<ColumnConstraint> constraints;
        for (const NodeRef& condition : conditions) {
            ColumnConstraint constraint;
            if (!holdsUnknown(*condition) && constraintOf(*condition, partitioned->columns(), context_, constraint))
                constraints.push_back(std::move(constraint));
        }
        const size_t all = snapshot->partitions().size();
        const size_t read = prunePartitions(*partitioned, *snapshot, constraints).size();
        const std::string name = partitioned->databasePath().empty()
                                     ? nameOf(*table)
                                     : partitioned->databasePath() + "/" + partitioned->name;
        if (const std::string index = indexText(*snapshot, partitioned->columns(), constraints); !index.empty())
            return line(depth, fmt::format("{} on {}", index, name));
        line(depth, fmt::format("scan {}: {} of {} partitions", name, withCommas(static_cast<int64_t>(read)),
                                withCommas(static_cast<int64_t>(all))));
    }

    bool isOfWith(const Node& table) const {
        return table.kind == NodeKind::Name &&
               std::any_of(whole_.with.begin(), whole_.with.end(),
                           [&](const auto& with) { return with.first == static_cast<const Name&>(table).name; });
    }

    static std::string nameOf(const Node& table) {
        if (table.kind == NodeKind::Name) return static_cast<const Name&>(table).name;
        const bool isValue = table.kind == NodeKind::Constant;
        const std::string spelling = isValue ? static_cast<const Constant&>(table).spelling : toSource(table);
        return spelling.empty() ? "a table" : spelling;
    }

    Context& context_;
    const Query& whole_;  // whose `with` names tables
};

}  // namespace

std::string planText(const Query& query, Context& context) {
    if (const Ref<Query> standard = standardQuery(query, context)) return planText(*standard, context);
    WithScope scope(context.scope);
    Context inner = context;
    if (!query.with.empty()) inner.scope = &scope;
    for (const auto& [name, table] : query.with)
        scope.add(name, Value::of(Ref<Table>(boundTable(static_cast<const Query&>(*table), inner))));
    PlanPrinter printer(inner, query);
    const bool isSelect = query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
    if (isSelect) {
        printer.query(query, 0);
    } else {
        printer.change(query);
    }
    for (const auto& [name, table] : query.with) {
        printer.line(0, "with " + name);
        printer.query(static_cast<const Query&>(*table), 1, false);
    }
    printer.string.pop_back();
    return printer.string;
}

}  // namespace pelorus

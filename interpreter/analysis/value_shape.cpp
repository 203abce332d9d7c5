#include "interpreter/analysis/value_shape.h"

#include <algorithm>
#include <array>

#include "runtime/code/column_name.h"
#include "runtime/code/query.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

using Form = ValueShape::Form;

constexpr size_t kMaxMembers = 2000;
// Maximum nesting of subqueries.
constexpr int kMaxDepth = 20;

// Functions that make a table of columns, with the number of arguments before the first column.
struct TableMaker {
    std::string_view name;
    size_t before;
};
constexpr std::array<TableMaker, 8> kTableMakers = {{{"table", 0},
                                                     {"streamTable", 0},
                                                     {"mvccTable", 0},
                                                     {"keyedTable", 1},
                                                     {"indexedTable", 1},
                                                     {"keyedStreamTable", 1},
                                                     {"latestKeyedTable", 2},
                                                     {"latestKeyedStreamTable", 2}}};

// Functions that join two tables.
constexpr std::array<std::string_view, 12> kJoins = {"ej", "lj",  "lsj", "rj",  "fj", "aj",
                                                     "cj", "sej", "wj",  "pwj", "pj", "ij"};

void addMember(std::vector<std::string>& members, std::string name) {
    if (name.empty() || members.size() >= kMaxMembers) return;
    if (std::find(members.begin(), members.end(), name) == members.end()) members.push_back(std::move(name));
}

void addMembers(std::vector<std::string>& members, const std::vector<std::string>& more) {
    for (const std::string& name : more) addMember(members, name);
}

bool isString(const Value& value) {
    return value.isScalar() && categoryOf(value.type()) == Category::Literal;
}

// Returns the string of a literal; empty for anything else.
std::string stringOf(const NodeRef& node) {
    if (!node || node->kind != NodeKind::Constant) return {};
    const Value& value = static_cast<const Constant&>(*node).value;
    return isString(value) ? std::string(value.string()) : std::string();
}

// The strings of a literal vector or list.
std::vector<std::string> stringsOf(const NodeRef& node) {
    std::vector<std::string> result;
    if (!node) return result;
    if (node->kind == NodeKind::ListLiteral) {
        for (const NodeRef& item : static_cast<const ListLiteral&>(*node).items) addMember(result, stringOf(item));
        return result;
    }
    if (node->kind != NodeKind::Constant) return result;
    const Value& value = static_cast<const Constant&>(*node).value;
    if (isString(value)) return {std::string(value.string())};
    if (!value.isVector() || categoryOf(value.type()) != Category::Literal) return result;
    const Vector& vector = value.vector();
    for (int64_t i = 0; i < vector.size(); ++i) addMember(result, std::string(vector.string(i)));
    return result;
}

class Inference {
public:
    explicit Inference(const ShapeSources& sources) : sources_(sources) {}

    ValueShape of(const NodeRef& node) {
        if (!node || depth_ >= kMaxDepth) return {};
        ++depth_;
        ValueShape shape = ofKind(*node);
        --depth_;
        return shape;
    }

    ValueShape ofKind(const Node& node) {
        switch (node.kind) {
            case NodeKind::Name: {
                const ValueShape* known =
                    sources_.variable ? sources_.variable(static_cast<const Name&>(node).name) : nullptr;
                return known ? *known : ValueShape();
            }
            case NodeKind::Lambda: {
                ValueShape shape;
                shape.form = Form::Function;
                return shape;
            }
            case NodeKind::DictionaryLiteral: {
                ValueShape shape;
                shape.form = Form::Dictionary;
                for (const auto& [key, value] : static_cast<const DictionaryLiteral&>(node).entries) {
                    addMember(shape.members, stringOf(key));
                }
                return shape;
            }
            case NodeKind::Alias:
                return of(static_cast<const Alias&>(node).value);
            case NodeKind::Query:
                return ofQuery(static_cast<const Query&>(node));
            case NodeKind::Call:
                return ofCall(static_cast<const Call&>(node));
            default:
                return {};
        }
    }

    std::vector<std::string> columnsRead(const Query& query) {
        std::vector<std::string> columns = of(query.table).members;
        addMembers(columns, of(query.updateSource).members);
        for (const JoinClause& join : query.joins) addMembers(columns, of(join.table).members);
        for (const auto& [name, subquery] : query.with) addMembers(columns, of(subquery).members);
        return columns;
    }

private:
    ValueShape ofQuery(const Query& query) {
        ValueShape shape;
        if (query.verb != QueryVerb::Select) return shape;
        shape.form = Form::Table;
        const bool keysFirst = query.grouping == GroupKind::Group || query.grouping == GroupKind::CumulativeGroup;
        if (keysFirst) addElements(shape.members, query.groupBy, query);
        addElements(shape.members, query.items, query);
        return shape;
    }

    void addElements(std::vector<std::string>& members, const std::vector<SelectItem>& items, const Query& query) {
        for (const SelectItem& item : items) {
            if (!item.aliases.empty()) {
                addMembers(members, item.aliases);
            } else if (item.value && item.value->kind == NodeKind::Star) {
                addMembers(members, columnsRead(query));
            } else if (item.value && item.value->kind != NodeKind::MacroColumn && !item.aliasMacro) {
                addMember(members, defaultColumnName(*item.value));
            }
        }
    }

    ValueShape ofCall(const Call& call) {
        ValueShape shape;
        if (call.callee->kind != NodeKind::Name) return shape;
        const std::string& name = static_cast<const Name&>(*call.callee).name;
        const auto& arguments = call.arguments;
        const auto maker = std::find_if(kTableMakers.begin(), kTableMakers.end(),
                                        [&](const TableMaker& known) { return known.name == name; });
        if (maker != kTableMakers.end()) return ofTableMaker(arguments, maker->before);
        if (std::find(kJoins.begin(), kJoins.end(), name) != kJoins.end() && arguments.size() >= 2) {
            shape = of(arguments[0].value);
            addMembers(shape.members, of(arguments[1].value).members);
            return shape;
        }
        if (name == "database" && !arguments.empty()) {
            shape.form = Form::Database;
            shape.database = stringOf(arguments[0].value);
            return shape;
        }
        if (name == "loadTable" && arguments.size() >= 2) return ofLoadTable(arguments);
        if (name == "dict") {
            shape.form = Form::Dictionary;
            if (!arguments.empty()) addMembers(shape.members, stringsOf(arguments[0].value));
            return shape;
        }
        if (sources_.isClass && sources_.isClass(name)) {
            shape.form = Form::Instance;
            shape.className = name;
        }
        return shape;
    }

    ValueShape ofLoadTable(const std::vector<Argument>& arguments) {
        ValueShape shape;
        shape.form = Form::Table;
        shape.database = stringOf(arguments[0].value);
        if (shape.database.empty()) shape.database = of(arguments[0].value).database;
        shape.table = stringOf(arguments[1].value);
        if (sources_.columns) shape.members = sources_.columns(shape.database, shape.table);
        return shape;
    }

    // table(x as a, b), table(100:0, `a`b, [INT, LONG])
    ValueShape ofTableMaker(const std::vector<Argument>& arguments, size_t before) {
        ValueShape shape;
        shape.form = Form::Table;
        if (arguments.size() <= before) return shape;
        const NodeRef& first = arguments[before].value;
        const bool isSized = first->kind == NodeKind::Binary && static_cast<const Binary&>(*first).op == Operator::Pair;
        if (isSized) {
            if (arguments.size() > before + 1) addMembers(shape.members, stringsOf(arguments[before + 1].value));
            return shape;
        }
        for (size_t i = before; i < arguments.size(); ++i) {
            const NodeRef& value = arguments[i].value;
            if (value->kind == NodeKind::Alias) {
                addMembers(shape.members, static_cast<const Alias&>(*value).names);
            } else if (value->kind == NodeKind::Name) {
                const ValueShape inner = of(value);
                if (inner.isTable()) {
                    addMembers(shape.members, inner.members);
                } else {
                    addMember(shape.members, static_cast<const Name&>(*value).name);
                }
            } else if (arguments[i].keyword.empty()) {
                addMembers(shape.members, of(value).members);
            }
        }
        return shape;
    }

    const ShapeSources& sources_;
    int depth_ = 0;
};

}  // namespace

ValueShape inferShape(const Node& expression, const ShapeSources& sources) {
    return Inference(sources).ofKind(expression);
}

std::vector<std::string> columnsOfSources(const Node& query, const ShapeSources& sources) {
    if (query.kind != NodeKind::Query) return {};
    return Inference(sources).columnsRead(static_cast<const Query&>(query));
}

}  // namespace pelorus

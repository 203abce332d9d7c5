// Functions that return the parts of metacode.
#include "common/error.h"
#include "runtime/code/query.h"
#include "runtime/value/dictionary.h"
#include "stdlib/metaprogramming/nodes.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

bool isJoiner(std::string_view name) {
    constexpr std::string_view kJoiners[] = {"ej", "sej", "lj", "lsj", "fj", "aj", "wj", "pwj", "pj", "cj"};
    return std::find(std::begin(kJoiners), std::end(kJoiners), name) != std::end(kJoiners);
}

std::string_view callKind(const Call& call) {
    const bool named = call.callee->kind == NodeKind::Name;
    const std::string_view name = named ? std::string_view(static_cast<const Name&>(*call.callee).name) : "";
    if (isJoiner(name)) return "TABLEJOINER";
    if (name == "objByName") return "GLOBAL";
    if (name == "exists") return "SQLEXISTS";
    return call.style == Call::Style::Prefix ? "EXPRESSION" : "FUNCTION";
}

std::string_view kindOf(const Node& node, const Context& context) {
    Value ignored;
    switch (node.kind) {
        case NodeKind::Constant:
            return "CONSTOBJ";
        case NodeKind::Name: {
            const auto& name = static_cast<const Name&>(node);
            if (name.functionOnly) return "CONSTOBJ";
            bool variable = !name.columnOnly && context.scope && context.scope->lookup(name.name, ignored);
            return variable ? "VAR" : "COLUMN";
        }
        case NodeKind::Unary:
        case NodeKind::Binary:
        case NodeKind::Ternary:
        case NodeKind::Index:
            return "EXPRESSION";
        case NodeKind::Call:
            return callKind(static_cast<const Call&>(node));
        case NodeKind::TupleLiteral:
        case NodeKind::ListLiteral:
            return "TUPLE";
        case NodeKind::Member:
            return "ATTR";
        case NodeKind::Alias:
            return "COLUMNDEF";
        case NodeKind::MacroColumn:
        case NodeKind::ColumnRange:
            return "COLSELECTOR";
        case NodeKind::Query: {
            const auto& query = static_cast<const Query&>(node);
            if (query.verb == QueryVerb::Update) return "SQLUPDATE";
            if (query.verb == QueryVerb::Delete) return "SQLDELETE";
            return query.with.empty() ? "SQLQUERY" : "SQLWITHQUERY";
        }
        default:
            return "UNKNOWN";
    }
}

Value objectTypeKernel(Context& context, Arguments a) {
    if (!isCode(a[0])) return Value::ofString("CONSTOBJ");
    return Value::ofString(kindOf(*a[0].as<Code>()->node, context));
}

Value codes(const NodeList& nodes) {
    std::vector<Value> elements;
    for (const NodeRef& node : nodes) elements.push_back(codeValue(node));
    return Value::of(makeRef<Tuple>(std::move(elements)));
}

Value codes(const std::vector<SelectItem>& list) {
    NodeList nodes;
    for (const SelectItem& element : list) {
        nodes.push_back(element.aliases.empty()
                            ? element.value
                            : NodeRef(makeRef<Alias>(element.value, element.aliases, element.value->position)));
    }
    return codes(nodes);
}

Value codes(const std::vector<OrderItem>& list) {
    NodeList nodes;
    for (const OrderItem& element : list) nodes.push_back(element.value);
    return codes(nodes);
}

Value codeOrNothing(const NodeRef& node) {
    return node ? codeValue(node) : Value();
}

Value constantOf(const NodeRef& node) {
    return node->kind == NodeKind::Constant ? static_cast<const Constant&>(*node).value : codeValue(node);
}

// A variable as the source of rows is looked up by its name.
Value sourceOf(const NodeRef& table) {
    if (!table || table->kind != NodeKind::Name) return codeOrNothing(table);
    std::vector<Argument> name = {
        {"", makeRef<Constant>(Value::ofString(static_cast<const Name&>(*table).name), table->position)}};
    return codeValue(makeRef<Call>(makeRef<Name>("objByName", table->position), std::move(name), Call::Style::Function,
                                   table->position));
}

// rowOffset and rowCount: of limit, or of top n and top a:b.
void setRows(Dictionary& parts, const Query& query) {
    Value offset, count;
    if (query.offset) offset = constantOf(query.offset);
    if (query.limit) count = constantOf(query.limit);
    if (query.top && query.top->kind == NodeKind::Binary) {
        const auto& range = static_cast<const Binary&>(*query.top);
        offset = constantOf(range.left);
        count = constantOf(range.right);
        if (offset.isNumber() && count.isNumber())
            count = Value::ofInt(static_cast<int32_t>(count.asLong() - offset.asLong()));
    } else if (query.top) {
        count = constantOf(query.top);
    }
    parts.set(Value::ofString("rowOffset"), offset);
    parts.set(Value::ofString("rowCount"), count);
}

void setQueryParts(Dictionary& parts, const Query& query) {
    auto set = [&](const char* name, Value v) { parts.set(Value::ofString(name), std::move(v)); };
    if (query.verb == QueryVerb::Update || query.verb == QueryVerb::Delete) {
        set("table", sourceOf(query.table));
        if (query.verb == QueryVerb::Update) set("updates", codes(query.items));
        set("from", sourceOf(query.updateSource));
        set("where", codes(query.where));
        if (query.verb == QueryVerb::Update) {
            set("contextBy", codes(query.groupBy));
            set("csort", codes(query.csort));
            set("having", codeOrNothing(query.having));
        }
        return;
    }
    set("exec", Value::ofBool(query.verb == QueryVerb::Exec));
    set("select", codes(query.items));
    set("from", sourceOf(query.table));
    set("where", codes(query.where));
    set("groupBy", codes(query.groupBy));
    Value flag;
    if (query.grouping == GroupKind::Context) flag = Value::ofInt(0);
    if (query.grouping == GroupKind::Group || query.grouping == GroupKind::CumulativeGroup) flag = Value::ofInt(1);
    if (query.grouping == GroupKind::Pivot) flag = Value::ofInt(2);
    set("groupFlag", flag);
    set("cgroups", Value::ofInt(query.cumulativeKeys));
    set("csort", codes(query.csort));
    set("having", codeOrNothing(query.having));
    set("orderBy", codes(query.orderBy));
    setRows(parts, query);
    set("hint", Value::ofInt(static_cast<int32_t>(query.hint)));
    set("segment", Value());
}

Value objectComponentKernel(Context&, Arguments a) {
    auto parts = makeRef<Dictionary>(Type::String, Type::Any, true);
    auto set = [&](const char* name, Value v) { parts->set(Value::ofString(name), std::move(v)); };
    if (!isCode(a[0])) {
        set("value", a[0]);
        return Value::of(parts);
    }
    const Node& node = *a[0].as<Code>()->node;
    switch (node.kind) {
        case NodeKind::Constant:
            set("value", static_cast<const Constant&>(node).value);
            break;
        case NodeKind::Name:
            set("name", Value::ofString(static_cast<const Name&>(node).name));
            break;
        case NodeKind::Unary: {
            const auto& unary = static_cast<const Unary&>(node);
            set("optr", Value::ofString(facts(unary.op).function));
            set("args", codes({unary.operand}));
            break;
        }
        case NodeKind::Binary: {
            const auto& binary = static_cast<const Binary&>(node);
            set("optr", Value::ofString(facts(binary.op).function));
            set("args", codes({binary.left, binary.right}));
            break;
        }
        case NodeKind::Call: {
            const auto& call = static_cast<const Call&>(node);
            NodeList arguments;
            for (const Argument& argument : call.arguments) arguments.push_back(argument.value);
            set("func", codeValue(call.callee));
            set("args", codes(arguments));
            break;
        }
        case NodeKind::Alias: {
            const auto& alias = static_cast<const Alias&>(node);
            set("expr", codeValue(alias.value));
            set("alias",
                alias.names.size() == 1 ? Value::ofString(alias.names[0]) : Value::of(Vector::ofStrings(alias.names)));
            break;
        }
        case NodeKind::TupleLiteral:
            set("items", codes(static_cast<const TupleLiteral&>(node).items));
            break;
        case NodeKind::ListLiteral:
            set("items", codes(static_cast<const ListLiteral&>(node).items));
            break;
        case NodeKind::Query:
            setQueryParts(*parts, static_cast<const Query&>(node));
            break;
        default:
            set("value", a[0]);
    }
    return Value::of(parts);
}

}  // namespace

void registerCodeInspection(FunctionRegistry& registry) {
    registry.add(
        "objectType(obj)", objectTypeKernel,
        {.summary = "What metacode is, as STRING: COLUMN, EXPRESSION, FUNCTION, SQLQUERY …; CONSTOBJ for values.",
         .example = "objectType(<x + y>) -> EXPRESSION\nobjectType(5) -> CONSTOBJ"});
    registry.add("objectComponent(obj)", objectComponentKernel,
                 {.summary = "The parts of metacode, as an ordered dictionary: of a query its clauses.",
                  .example = "objectComponent(<avg(x)>)[\"args\"] -> (< x >)"});
}

}  // namespace pelorus

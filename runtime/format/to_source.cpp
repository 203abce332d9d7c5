// Printer from code to source text. Brackets are printed only where the table of precedence needs them.
#include "runtime/format/to_source.h"

#include <algorithm>
#include <span>
#include <utility>

#include "common/thread/stack_room.h"
#include "runtime/format/source_printer.h"
#include "runtime/registry/registry.h"

namespace pelorus {

std::string toSource(const Node& node) {
    SourcePrinter printer;
    printer.aliased(node);
    return printer.take();
}

namespace {

constexpr int kLoosest = 0;   // precedence of nodes that may take the whole expression to their right
constexpr int kPostfix = 20;  // operands of [ ] . ( )
constexpr int kFunctionLevel = 10;

bool isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool isPlainName(std::string_view name) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '_') return false;
    return std::all_of(name.begin(), name.end(), [](char c) { return isWordCharacter(c) || c == ':' || c == '!'; });
}

bool isNumberConstant(const Node& node) {
    if (node.kind != NodeKind::Constant) return false;
    const auto& constant = static_cast<const Constant&>(node);
    Type type = constant.value.type();
    return constant.spelling.empty() &&
           (isNumeric(type) || isTemporal(type) || type == Type::Duration || type == Type::Decimal64);
}

// Returns how tightly the printed form of an operator binds.
int levelOf(Operator op) {
    bool word = op == Operator::In || op == Operator::Between || op == Operator::Like;
    return word ? facts(Operator::Eq).precedence : facts(op).precedence;
}

// Returns how tightly its operands must bind: words bind tighter outside queries than inside.
int operandLevelOf(Operator op) {
    bool word = op == Operator::In || op == Operator::Between || op == Operator::Like;
    return word ? kFunctionLevel : facts(op).precedence;
}

}  // namespace

void SourcePrinter::name(std::string_view string) {
    if (isPlainName(string)) {
        out_ += string;
    } else {
        out_ += "_" + toLiteral(Value::ofString(string));
    }
}

void SourcePrinter::bracketed(const Node& node) {
    out_ += '(';
    bool saved = std::exchange(pairAllowed_, true);
    aliased(node);
    pairAllowed_ = saved;
    out_ += ')';
}

// Names statements, arguments and elements of lists without brackets, anything else in brackets only.
void SourcePrinter::aliased(const Node& node) {
    if (node.kind != NodeKind::Alias) return print(node);
    const auto& alias = static_cast<const Alias&>(node);
    closed(*alias.value);  // a query would take the name for one of its last part
    aliases(alias.names);
}

void SourcePrinter::operand(const Node& node, int level) {
    if (binds(node) < level || (!pairAllowed_ && binds(node) == facts(Operator::Pair).precedence)) {
        bracketed(node);
    } else {
        print(node);
    }
}

// Returns whether a list prints like a vector of constants, [1,-2], so that both look alike.
static bool isListOfConstants(const Node& node) {
    if (node.kind != NodeKind::ListLiteral) return false;
    const NodeList& elements = static_cast<const ListLiteral&>(node).items;
    return std::all_of(elements.begin(), elements.end(), [](const NodeRef& element) {
        const Node* n = element.get();
        if (n->kind == NodeKind::Unary && static_cast<const Unary&>(*n).op == Operator::Neg)
            n = static_cast<const Unary&>(*n).operand.get();
        return n->kind == NodeKind::Constant;
    });
}

// Returns whether a call prints as f x: when the source text alone shows that f is a function and x all of its
// argument.
static bool printsAsPrefix(const Call& node) {
    if (node.style != Call::Style::Prefix || node.callee->kind != NodeKind::Name || node.arguments.size() != 1)
        return false;
    const Node& argument = *node.arguments[0].value;
    // A tuple behind a name would be read as the arguments of a call.
    const bool constant =
        argument.kind == NodeKind::Constant && !static_cast<const Constant&>(argument).value.isTuple();
    const bool simple = argument.kind == NodeKind::Name || constant || isListOfConstants(argument);
    return simple && node.arguments[0].keyword.empty() &&
           FunctionRegistry::instance().find(static_cast<const Name&>(*node.callee).name);
}

int SourcePrinter::binds(const Node& node) {
    switch (node.kind) {
        case NodeKind::Binary:
            return levelOf(static_cast<const Binary&>(node).op);
        case NodeKind::Unary:
            return facts(Operator::Neg).precedence;
        case NodeKind::Ternary:
        case NodeKind::Lambda:
        case NodeKind::Query:
        case NodeKind::Alias:
        case NodeKind::Window:
            return kLoosest;
        case NodeKind::Metacode:
            return kLoosest;
        case NodeKind::Call:
            return printsAsPrefix(static_cast<const Call&>(node)) ? kLoosest : kPostfix;
        case NodeKind::Constant:
            // A number does not take [ ] or . directly.
            return isNumberConstant(node) && static_cast<const Constant&>(node).value.isScalar() ? kPostfix - 1
                                                                                                 : kPostfix;
        default:
            return kPostfix;
    }
}

void SourcePrinter::callee(const Node& node) {
    if (node.kind == NodeKind::Lambda) {
        out_ += '{';
        print(node);
        out_ += '}';
    } else if (binds(node) < kPostfix) {
        bracketed(node);
    } else {
        print(node);
    }
}

template <class List, class WriteElement>
static void separated(std::string& out, const List& list, WriteElement write) {
    bool first = true;
    for (const auto& element : list) {
        if (!first) out += ", ";
        first = false;
        write(element);
    }
}

// Returns whether the source of a node ends in a query. Operands are bracketed, so only nodes with an open right end
// count.
static bool endsInQuery(const Node& node) {
    switch (node.kind) {
        case NodeKind::Query:
            return true;
        case NodeKind::Ternary:
            return endsInQuery(*static_cast<const Ternary&>(node).otherwise);
        case NodeKind::Lambda: {
            const NodeRef& body = static_cast<const Lambda&>(node).function.body;
            return body && endsInQuery(*body);
        }
        default:
            return false;
    }
}

void SourcePrinter::closed(const Node& node) {
    if (endsInQuery(node)) {
        bracketed(node);
    } else {
        aliased(node);
    }
}

void SourcePrinter::listItem(const Node& node, bool isLast) {
    if (isLast) {
        aliased(node);
    } else {
        closed(node);
    }
}

void SourcePrinter::list(const NodeList& nodes) {
    bool saved = std::exchange(pairAllowed_, true);
    for (size_t i = 0; i < nodes.size(); ++i) {
        if (i > 0) out_ += ", ";
        listItem(*nodes[i], i + 1 == nodes.size());
    }
    pairAllowed_ = saved;
}

// Prints [a,b] like a vector of constants, without blanks.
void SourcePrinter::listItems(const NodeList& elements) {
    bool saved = std::exchange(pairAllowed_, true);
    out_ += '[';
    for (size_t i = 0; i < elements.size(); ++i) {
        if (i > 0) out_ += ',';
        listItem(*elements[i], i + 1 == elements.size());
    }
    out_ += ']';
    pairAllowed_ = saved;
}

void SourcePrinter::arguments(const std::vector<Argument>& arguments, size_t from) {
    bool saved = std::exchange(pairAllowed_, true);
    for (size_t i = from; i < arguments.size(); ++i) {
        if (i > from) out_ += ", ";
        if (!arguments[i].keyword.empty()) out_ += arguments[i].keyword + "=";
        listItem(*arguments[i].value, i + 1 == arguments.size());
    }
    pairAllowed_ = saved;
}

void SourcePrinter::binary(const Binary& node) {
    int level = operandLevelOf(node.op);
    // a < b < c would read as a chain, so a comparison as an operand of another is always bracketed.
    operand(*node.left, isComparison(node.op) ? level + 1 : level);
    bool tight = node.op == Operator::Seq || node.op == Operator::EachAt;
    std::string symbol = facts(node.op).symbol;
    if (tight || node.left->kind == NodeKind::Omitted || node.right->kind == NodeKind::Omitted) {
        out_ += symbol;
    } else {
        out_ += " " + symbol + " ";
    }
    bool between = node.op == Operator::Between && node.right->kind == NodeKind::Binary &&
                   static_cast<const Binary&>(*node.right).op == Operator::Pair;
    if (between) {
        const auto& pair = static_cast<const Binary&>(*node.right);
        out_ += "pair(";
        list({pair.left, pair.right});
        out_ += ')';
    } else {
        operand(*node.right, level + 1);
    }
}

void SourcePrinter::call(const Call& node) {
    if (printsAsPrefix(node)) {
        print(*node.callee);
        out_ += ' ';
        print(*node.arguments[0].value);
        return;
    }
    if (node.style == Call::Style::Method && !node.arguments.empty() && node.arguments[0].keyword.empty()) {
        callee(*node.arguments[0].value);
        out_ += '.';
        if (node.callee->kind == NodeKind::Name || node.callee->kind == NodeKind::Lambda) {
            callee(*node.callee);
        } else {
            out_ += '{';
            print(*node.callee);
            out_ += '}';
        }
        out_ += '(';
        arguments(node.arguments, 1);
    } else {
        callee(*node.callee);
        out_ += '(';
        arguments(node.arguments, 0);
    }
    out_ += ')';
}

void SourcePrinter::parameters(const std::vector<ParameterNode>& parameters) {
    out_ += '(';
    separated(out_, parameters, [&](const ParameterNode& parameter) {
        if (parameter.isMutable) out_ += "mutable ";
        out_ += parameter.name;
        if (parameter.defaultValue) {
            out_ += '=';
            listItem(*parameter.defaultValue, false);
        }
    });
    out_ += ')';
}

void SourcePrinter::function(const FunctionBody& function) {
    out_ += function.isAggregate ? "defg " : "def ";
    out_ += function.name;
    parameters(function.parameters);
    if (!function.body) return;
    if (function.body->kind == NodeKind::Block) {
        out_ += ' ';
        print(*function.body);
    } else {
        out_ += "->";
        print(*function.body);
    }
}

// Returns whether a point and digits directly after the object are a member, and no number.
static bool takesDigits(const Node& object) {
    if (object.kind != NodeKind::Member)
        return object.kind == NodeKind::Name || object.kind == NodeKind::Call || object.kind == NodeKind::Index;
    const auto& member = static_cast<const Member&>(object);
    return member.key || isPlainName(member.name);
}

void SourcePrinter::member(const Member& node) {
    const bool isNumber = !node.name.empty() &&
                          std::all_of(node.name.begin(), node.name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (isNumber && !takesDigits(*node.object)) {
        bracketed(*node.object);
    } else {
        callee(*node.object);
    }
    out_ += '.';
    if (node.key) {
        bracketed(*node.key);
    } else if (isPlainName(node.name) || node.name == "*" || isNumber) {
        out_ += node.name;
    } else {
        out_ += toLiteral(Value::ofString(node.name));
    }
}

void SourcePrinter::dictionary(const DictionaryLiteral& node) {
    out_ += '{';
    bool saved = pairAllowed_;
    separated(out_, node.entries, [&](const auto& entry) {
        pairAllowed_ = false;
        listItem(*entry.first, false);
        pairAllowed_ = true;
        out_ += ": ";
        listItem(*entry.second, false);
    });
    pairAllowed_ = saved;
    out_ += '}';
}

void SourcePrinter::aliases(const std::vector<std::string>& names) {
    if (names.empty()) return;
    out_ += " as ";
    if (names.size() == 1) {
        if (isPlainName(names[0])) {
            out_ += names[0];
        } else {
            out_ += toLiteral(Value::ofString(names[0]));
        }
        return;
    }
    for (const std::string& name : names) out_ += "`" + name;
}

void SourcePrinter::expression(const Node& node) {
    requireStackRoom();
    switch (node.kind) {
        case NodeKind::Constant: {
            const auto& constant = static_cast<const Constant&>(node);
            out_ += constant.spelling.empty() ? toLiteral(constant.value) : constant.spelling;
            return;
        }
        case NodeKind::Name: {
            const auto& word = static_cast<const Name&>(node);
            if (word.columnOnly) {
                out_ += "_" + toLiteral(Value::ofString(word.name));
            } else {
                if (word.functionOnly && word.name.substr(0, 2) != "::") out_ += '&';
                name(word.name);
            }
            return;
        }
        case NodeKind::Unary: {
            const auto& unary = static_cast<const Unary&>(node);
            out_ += unary.op == Operator::Neg ? "-" : "! ";
            // -1 would read as one literal.
            bool number = isNumberConstant(*unary.operand);
            if (number && static_cast<const Constant&>(*unary.operand).value.isScalar()) {
                bracketed(*unary.operand);
            } else {
                operand(*unary.operand, facts(Operator::Neg).precedence);
            }
            return;
        }
        case NodeKind::Binary:
            binary(static_cast<const Binary&>(node));
            return;
        case NodeKind::Ternary: {
            const auto& ternary = static_cast<const Ternary&>(node);
            if (ternary.condition->kind == NodeKind::Constant &&
                !static_cast<const Constant&>(*ternary.condition).value.isVector()) {
                print(*ternary.condition);
            } else {
                operand(*ternary.condition, kPostfix);
            }
            out_ += " ? ";
            bool saved = std::exchange(pairAllowed_, false);
            operand(*ternary.then, kLoosest + 1);
            pairAllowed_ = saved;
            out_ += " : ";
            print(*ternary.otherwise);
            return;
        }
        case NodeKind::Call:
            call(static_cast<const Call&>(node));
            return;
        case NodeKind::Partial: {
            const auto& partial = static_cast<const Partial&>(node);
            callee(*partial.callee);
            out_ += '{';
            arguments(partial.arguments, 0);
            out_ += '}';
            return;
        }
        case NodeKind::HigherOrder: {
            const auto& higher = static_cast<const HigherOrder&>(node);
            callee(*higher.function);
            out_ += ':';
            out_ += higher.pattern;
            if (higher.rule != '\0') out_ += higher.rule;
            return;
        }
        case NodeKind::Index: {
            const auto& index = static_cast<const Index&>(node);
            callee(*index.object);
            out_ += '[';
            list(index.indices);
            out_ += ']';
            return;
        }
        case NodeKind::Member:
            member(static_cast<const Member&>(node));
            return;
        case NodeKind::TupleLiteral:
            out_ += '(';
            list(static_cast<const TupleLiteral&>(node).items);
            out_ += ')';
            return;
        case NodeKind::ListLiteral:
            listItems(static_cast<const ListLiteral&>(node).items);
            return;
        case NodeKind::DictionaryLiteral:
            dictionary(static_cast<const DictionaryLiteral&>(node));
            return;
        case NodeKind::Lambda:
            function(static_cast<const Lambda&>(node).function);
            return;
        case NodeKind::Metacode: {
            bool saved = std::exchange(pairAllowed_, true);
            out_ += '<';
            aliased(*static_cast<const Metacode&>(node).code);
            out_ += '>';
            pairAllowed_ = saved;
            return;
        }
        case NodeKind::MacroColumn: {
            const auto& macro = static_cast<const MacroColumn&>(node);
            out_ += (macro.many ? "_$$" : "_$") + macro.variable;
            return;
        }
        case NodeKind::Query:
            query(static_cast<const Query&>(node));
            return;
        case NodeKind::Omitted:
            return;
        case NodeKind::Star:
            out_ += '*';
            return;
        case NodeKind::Alias:
            bracketed(node);
            return;
        case NodeKind::ColumnRange: {
            const auto& range = static_cast<const ColumnRange&>(node);
            out_ += range.first + "..." + range.last;
            return;
        }
        case NodeKind::Window:
            window(static_cast<const Window&>(node));
            return;
        default:
            statement(node);
    }
}

void SourcePrinter::print(const Node& node) {
    requireStackRoom();
    expression(node);
}

}  // namespace pelorus

#include "interpreter/engine/unreadable_constants.h"

#include <fmt/format.h>

#include "runtime/code/rewrite.h"
#include "runtime/code/statement.h"
#include "runtime/format/to_source.h"
#include "runtime/registry/registry.h"
#include "runtime/text/column_guess.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

bool isConversion(const std::string& name, Type& type) {
    return typeByName(name, type) && (isNumeric(type) || isTemporal(type) || type == Type::Bool) &&
           FunctionRegistry::instance().find(name) != nullptr;
}

// How the string could be read as the type; empty when nothing is known.
std::string remedy(Type type, const std::string& text, Context& context) {
    if (!isTemporal(type)) return "";
    text::ColumnGuess guess;
    guess.look(text, 0);
    const std::optional<text::OddColumn> odd = guess.odd();
    if (!odd || odd->format.empty()) return "";
    const auto call = [&](const std::string& format) {
        return fmt::format("temporalParse({}, {})", toLiteral(Value::ofString(text)),
                           toLiteral(Value::ofString(format)));
    };
    std::vector<Value> arguments{Value::ofString(text), Value::ofString(odd->format)};
    const Value meant = FunctionRegistry::instance().get("temporalParse").call(context, arguments);
    std::string hint = fmt::format("write {}, or {}", display(meant), call(odd->format));
    if (!odd->otherFormat.empty()) hint += fmt::format("; with the day first, {}", call(odd->otherFormat));
    return hint;
}

// The notice about a call; empty when it is no conversion of a string, or the string can be read.
std::string noticeOf(const Node& node, const Session& session, Context& context) {
    if (node.kind != NodeKind::Call) return "";
    const auto& call = static_cast<const Call&>(node);
    if (call.callee->kind != NodeKind::Name || call.arguments.size() != 1) return "";
    const NodeRef& argument = call.arguments[0].value;
    const std::string& name = static_cast<const Name&>(*call.callee).name;
    Type type;
    if (argument->kind != NodeKind::Constant || !isConversion(name, type)) return "";
    const Value& text = static_cast<const Constant&>(*argument).value;
    if (!text.isString() || text.isNull()) return "";
    if (session.findVariable(name) >= 0 || session.findFunction(name)) return "";  // the user's own
    std::vector<Value> arguments{text};
    if (!FunctionRegistry::instance().get(name).call(context, arguments).isNull()) return "";
    const std::string hint = remedy(type, std::string(text.string()), context);
    return fmt::format("{} is NULL: {}.", toSource(node),
                       hint.empty() ? fmt::format("the string is no {}", typeName(type)) : hint);
}

std::string firstNotice(const NodeRef& expression, const Session& session, Context& context) {
    std::string notice;
    Replace look = [&](const NodeRef& node) -> NodeRef {
        if (!notice.empty()) return node;
        if (node->kind == NodeKind::Query) {
            rewriteQuery(static_cast<const Query&>(*node), look);
            return node;
        }
        notice = noticeOf(*node, session, context);
        return NodeRef();
    };
    rewrite(expression, look);
    return notice;
}

}  // namespace

void noticeUnreadableConstants(const NodeList& statements, const Session& session, Context& context) {
    if (!context.request->notice) return;
    constexpr int kMaxNotices = 10;  // notices for one script
    int told = 0;
    for (const NodeRef& statement : statements) {
        const NodeRef* expression = nullptr;
        if (statement->kind == NodeKind::ExpressionStatement)
            expression = &static_cast<const ExpressionStatement&>(*statement).expression;
        if (statement->kind == NodeKind::Assign) expression = &static_cast<const Assign&>(*statement).value;
        if (!expression || !*expression) continue;
        std::string notice;
        try {
            notice = firstNotice(*expression, session, context);
        } catch (const Error&) {
            continue;  // char("990") is an error when it runs
        }
        if (notice.empty()) continue;
        context.request->notice(notice);
        if (++told == kMaxNotices) return;
    }
}

}  // namespace pelorus

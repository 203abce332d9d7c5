#include "interpreter/analysis/reading_query.h"

#include <fmt/format.h>

#include <functional>
#include <string>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "interpreter/analysis/node_children.h"
#include "interpreter/bytecode/effects.h"
#include "runtime/code/query.h"
#include "runtime/code/statement.h"
#include "runtime/registry/registry.h"

namespace pelorus {

namespace {

constexpr const char* kOtherWays = "Other statements are for the native protocol and the JSON interface.";

// A walk through a query that stops at the first function that may change something.
class CalledFunctions {
public:
    explicit CalledFunctions(const Scope& scope) : scope_(scope) {}

    void visit(const NodeRef& node) {
        requireStackRoom();
        switch (node->kind) {
            case NodeKind::Query:
                requireReads(static_cast<const Query&>(*node));
                break;
            case NodeKind::Call: {
                const auto& call = static_cast<const Call&>(*node);
                requireCall(*call.callee);
                // each(f, …): the functions among the arguments are called, too.
                for (size_t i = 0; i < call.arguments.size(); ++i) {
                    if (takesFunction(*call.callee, i)) requireCall(*call.arguments[i].value);
                }
                break;
            }
            case NodeKind::Partial:
                requireCall(*static_cast<const Partial&>(*node).callee);
                break;
            case NodeKind::HigherOrder:
                requireCall(*static_cast<const HigherOrder&>(*node).function);
                break;
            default:
                break;
        }
        forEachChild(*node, [this](const NodeRef& child) { visit(child); });
    }

private:
    static void requireReads(const Query& query) {
        if (query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec) return;
        throw UserError(query.position, "A query that only reads cannot hold an update, delete or insert.", kOtherWays);
    }

    static const BuiltinFunction* builtin(const Node& node) {
        return node.kind == NodeKind::Name ? FunctionRegistry::instance().find(static_cast<const Name&>(node).name)
                                           : nullptr;
    }

    static bool takesFunction(const Node& callee, size_t argument) {
        const BuiltinFunction* function = builtin(callee);
        if (!function) return false;
        const Declaration& declared = function->declaration();
        return declared.kind == FunctionKind::HigherOrder ||
               (argument < kDeclaredParameters && declared.takes[argument].special == Takes::Function);
    }

    void requireCall(const Node& callee) const {
        if (callee.kind != NodeKind::Name) return;
        const std::string& name = static_cast<const Name&>(callee).name;
        Effect effect = Effect::Pure;
        if (const BuiltinFunction* function = builtin(callee)) {
            // x.append!(y) changes a value that the query made, or is refused when it runs.
            if (!function->changes(0)) effect = effectOf(*function);
        } else if (Value known; scope_.lookup(name, known) && known.isFunction()) {
            effect = effectOf(known.function());
        }
        if (effect < Effect::Writes) return;
        throw UserError(callee.position,
                        fmt::format("A query that only reads cannot call {}, which may change something.", name),
                        kOtherWays);
    }

    const Scope& scope_;
};

}  // namespace

void requireReadingQuery(const NodeList& statements, const Scope& scope) {
    const NodeRef* query = nullptr;
    if (statements.size() == 1 && statements[0]->kind == NodeKind::ExpressionStatement)
        query = &static_cast<const ExpressionStatement&>(*statements[0]).expression;
    if (!query || (*query)->kind != NodeKind::Query) {
        const SourcePosition place = statements.size() > 1 ? statements[1]->position : SourcePosition{};
        throw UserError(place, "Only one select is answered here, and nothing behind it.", kOtherWays);
    }
    CalledFunctions(scope).visit(*query);
}

}  // namespace pelorus

#include "server/session/engine_host.h"

#include <algorithm>
#include <cctype>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "interpreter/analysis/reading_query.h"
#include "interpreter/debug/debug_session.h"
#include "interpreter/engine/engine.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/value_stack.h"
#include "runtime/function/principal.h"
#include "runtime/function/principal_source.h"
#include "runtime/table/computed_table.h"

namespace pelorus {
namespace {

// Editors prepend a line `line://n`: the first line of the script is line n of their file. Blank lines in its place
// make errors report that line.
constexpr std::string_view kLineMark = "line://";
constexpr long kMaxLineShift = 1'000'000;

std::string placed(std::string_view script) {
    if (!script.starts_with(kLineMark)) return std::string(script);
    const size_t end = script.find('\n');
    if (end == std::string_view::npos) return "";
    const long line = std::atol(std::string(script.substr(kLineMark.size(), end - kLineMark.size())).c_str());
    const long shift = line > 1 && line <= kMaxLineShift ? line - 1 : 0;
    return std::string(static_cast<size_t>(shift), '\n') + std::string(script.substr(end + 1));
}

bool isVariableName(std::string_view name) {
    const auto first = name.empty() ? '0' : name[0];
    return (std::isalpha(static_cast<unsigned char>(first)) || first == '_') &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

class EngineSession final : public ScriptSession {
public:
    explicit EngineSession(const Services& services) : services_(services), session_(services) {}

    Value run(Request& request, std::string_view script) override {
        Context context(services_, request);
        return withRows(evaluate(placed(script), session_, context), context);
    }
    Value runReading(Request& request, std::string_view query) override {
        requireReadingQuery(parseScript(query, rolesIn(session_)), session_);
        const Principal& caller = request.principal();
        Principal::Powers powers = caller.powers();
        powers.readsOnly = true;
        request.setPrincipal(std::make_shared<Principal>(caller, powers));
        return run(request, query);
    }
    Value call(Request& request, std::string_view expression, std::vector<Value> arguments) override {
        Context context(services_, request);
        return withRows(callByExpression(expression, std::move(arguments), session_, context), context);
    }
    Value apply(Request& request, const Function& function, std::vector<Value> arguments) override {
        Context context(services_, request);
        context.session = &session_;
        return callFunction(function, context, arguments);
    }
    void debug(Request& request, std::string_view script, DebugSession& debugger) override {
        Context context(services_, request);
        debugger.run(script, session_, context);
    }
    std::vector<DebuggedSource> debuggedSources(std::string_view script) const override {
        return pelorus::debuggedSources(script, services_);
    }
    void setVariable(const std::string& name, Value value) override {
        if (!isVariableName(name)) throw UserError("'" + name + "' is no name of a variable.");
        // Objects that all sessions see are not hidden from this one by an upload.
        auto* shared = services_.find<SharedObjects>();
        Value ignored;
        if (shared && shared->find(name, ignored)) {
            throw UserError("'" + name + "' is a shared variable and can't be overwritten.",
                            "Upload under another name, or release it: undef(\"" + name + "\", SHARED).");
        }
        session_.setVariable(name, std::move(value));
    }
    void ignoreCaseOfFunctions(bool ignores) override { session_.ignoresCaseOfFunctions = ignores; }
    void rest() override {
        ValueStack::ofThread().rest();
        releaseStack();
    }
    void clear() override { session_.clearVariables(); }

private:
    // Returns a table that computes its rows, such as the handle of an engine, as those rows: a client has no other use
    // for it.
    static Value withRows(Value result, Context& context) {
        auto* computed = result.isTable() ? dynamic_cast<ComputedTable*>(&result.table()) : nullptr;
        return computed ? Value::of(Ref<Table>(computed->rows(context))) : result;
    }

    const Services& services_;
    Session session_;
};

}  // namespace

std::shared_ptr<const Principal> EngineHost::principalOf(const std::string& user) {
    return pelorus::principalOf(services_, user);
}

std::unique_ptr<ScriptSession> EngineHost::newSession() {
    return std::make_unique<EngineSession>(services_);
}

}  // namespace pelorus

#include "interpreter/bytecode/function_text.h"

#include <set>

#include "common/error.h"
#include "interpreter/bytecode/closure.h"
#include "runtime/code/statement.h"
#include "runtime/format/to_source.h"

namespace pelorus {
namespace {

// Name at the remote side of a function without a name, or of one that captured something.
constexpr const char* kNameThere = "remoteFunction";

[[noreturn]] void refuse(const Function& function) {
    throw UserError("The function " + function.describe() + " cannot be sent to another server.",
                    "Send a function of a script, or the name of one that is defined there.");
}

const Closure& closureOf(const Function& function) {
    const Function* found = &function;
    if (function.kind() == Function::Kind::Cell) found = static_cast<const FunctionCell&>(function).target.get();
    if (!found || found->kind() != Function::Kind::Closure) refuse(function);
    return static_cast<const Closure&>(*found);
}

// The functions that it calls are defined before it; mutually recursive ones, once.
void define(const Closure& closure, const std::string& name, std::set<std::string>& defined, std::string& text) {
    if (!defined.insert(name).second) return;
    for (const auto& [called, function] : closure.code().references) {
        if (function->portableKind() == "view") continue;  // the server may have one of that name
        const Closure& other = closureOf(*function);
        if (!other.captures().empty()) refuse(other);
        define(other, called, defined, text);
    }
    FunctionBody body = closure.code().body;
    std::vector<ParameterNode> parameters;
    for (const std::string& captured : closure.code().captureNames) {
        ParameterNode parameter;
        parameter.name = captured;
        parameters.push_back(std::move(parameter));
    }
    parameters.insert(parameters.end(), body.parameters.begin(), body.parameters.end());
    body.parameters = std::move(parameters);
    body.name = name;
    text += toSource(*makeRef<FunctionDefinition>(std::move(body), SourcePosition{})) + "\n";
}

}  // namespace

FunctionText functionText(const Function& function) {
    if (function.portableKind() == "builtin") return {"", std::string(function.name()), {}};
    if (const auto* partial = dynamic_cast<const PartialFunction*>(&function)) {
        FunctionText text = functionText(*partial->function());
        // Omitted arguments are filled in by the caller.
        const std::vector<Value> fixed = partial->fixed();
        text.leading.insert(text.leading.end(), fixed.begin(), fixed.end());
        return text;
    }
    const Closure& closure = closureOf(function);
    FunctionText text;
    text.name = closure.name().empty() || !closure.captures().empty() ? kNameThere : std::string(closure.name());
    text.leading = closure.captures();
    std::set<std::string> defined;
    define(closure, text.name, defined, text.definitions);
    return text;
}

}  // namespace pelorus

#include "interpreter/compiler/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interpreter/compiler/function_compiler.h"
#include "interpreter/parser/parser.h"
#include "interpreter/session/view_function.h"
#include "runtime/registry/name_advice.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"

namespace pelorus {

FunctionCompiler::FunctionCompiler(const CompileSurroundings& surroundings, FunctionCompiler* outer)
    : surroundings_(surroundings), outer_(outer), code_(makeRef<CompiledFunction>()) {}

Ref<CompiledFunction> FunctionCompiler::script(const NodeList& statements) {
    code_->topLevel = true;
    for (const NodeRef& node : statements) statement(node);
    Operand nothing = constant(Value());
    emit(Op::Return, nothing);
    for (const std::string& name : surroundings_.session->variableNames()) {
        code_->variables.emplace_back(name, operand(Space::Globals, surroundings_.session->findVariable(name)));
    }
    return code_;
}

static Signature signatureOf(const FunctionBody& body) {
    Signature signature;
    for (const ParameterNode& p : body.parameters) {
        Parameter parameter{p.name, false, p.isMutable, Value()};
        if (p.defaultValue) {
            parameter.optional = true;
            parameter.defaultValue = omitted();
            if (p.defaultValue->kind == NodeKind::Constant) {
                parameter.defaultValue = static_cast<const Constant&>(*p.defaultValue).value;
            }
        }
        signature.parameters.push_back(std::move(parameter));
    }
    signature.mutatesFirst = !body.parameters.empty() && body.parameters[0].isMutable;
    signature.aggregate = body.isAggregate;
    return signature;
}

Ref<CompiledFunction> FunctionCompiler::function(const FunctionBody& body, const std::vector<std::string>& captures) {
    code_->body = body;
    code_->signature = signatureOf(body);
    // A method calls itself through its instance.
    if (!surroundings_.type) selfName_ = body.name;
    for (const std::string& name : captures) {
        code_->captureNames.push_back(name);
        locals_[name] = operand(Space::Captures, static_cast<int>(code_->captureNames.size()) - 1);
    }
    for (const ParameterNode& p : body.parameters) {
        locals_[p.name] = newRegister();
        if (!p.isMutable) readOnly_.push_back(p.name);
    }
    // A default that is no literal is evaluated when the argument is missing.
    for (const ParameterNode& p : body.parameters) {
        if (!p.defaultValue || p.defaultValue->kind == NodeKind::Constant) continue;
        Operand isMissing = newRegister();
        emit(Op::Move, isMissing, locals_[p.name], 1);
        size_t given = emitJump(Op::JumpUnlessScalar, isMissing, 1);
        expressionInto(p.defaultValue, locals_[p.name]);
        patch(given);
        release(isMissing);
    }
    if (body.body->kind == NodeKind::Block) {
        block(body.body);
        Operand nothing = constant(Value());
        emit(Op::Return, nothing);
    } else {
        code_->statements.push_back(body.body);
        statement_ = 0;
        position_ = body.body->position;
        if (isForDebugger()) emit(Op::Statement);
        int mark = nextRegister_;
        Operand result = expression(body.body);
        emit(Op::Return, result);
        release(mark);
    }
    for (const auto& [name, place] : locals_) code_->variables.emplace_back(name, place);
    return code_;
}

Operand FunctionCompiler::newRegister() {
    if (nextRegister_ > kMaxOperandIndex - 1) {
        throw SyntaxError(position_, "The function needs more than 16000 variables and intermediate results.",
                          "Cut it into smaller functions.");
    }
    Operand r = operand(Space::Frame, nextRegister_++);
    code_->frameSize = std::max(code_->frameSize, nextRegister_);
    return r;
}

Operand FunctionCompiler::constant(Value value) {
    for (size_t i = 0; i < code_->constants.size(); ++i) {
        const Value& known = code_->constants[i];
        bool sameObject = known.hasObject() && value.hasObject() && known.object() == value.object();
        bool sameScalar = !known.hasObject() && !value.hasObject() && known.extra() == value.extra() &&
                          known.unit() == value.unit() && identical(known, value);
        if (sameObject || sameScalar) return operand(Space::Constants, static_cast<int>(i));
    }
    if (code_->constants.size() > kMaxOperandIndex) {
        throw SyntaxError(position_, "The script has more than 16000 different literals in one function.",
                          "Keep them in a vector or a file.");
    }
    code_->constants.push_back(std::move(value));
    return operand(Space::Constants, static_cast<int>(code_->constants.size()) - 1);
}

size_t FunctionCompiler::emit(Op op, Operand a, Operand b, Operand c, uint8_t extra) {
    code_->code.push_back({op, extra, a, b, c});
    code_->positions.push_back(position_);
    code_->statementOf.push_back(statement_);
    return code_->code.size() - 1;
}

size_t FunctionCompiler::emitJump(Op op, Operand a, uint8_t extra) {
    return emit(op, a, 0, 0, extra);
}

uint16_t FunctionCompiler::callSite(CallSite site) {
    code_->callSites.push_back(std::move(site));
    return static_cast<uint16_t>(code_->callSites.size() - 1);
}

bool FunctionCompiler::findLocal(const std::string& name, Operand& result) const {
    auto it = locals_.find(name);
    if (it == locals_.end()) return false;
    result = it->second;
    return true;
}

bool FunctionCompiler::findVariable(const std::string& name, Operand& result) {
    if (findLocal(name, result)) return true;
    if (code_->topLevel) {
        int slot = surroundings_.session->findVariable(name);
        if (slot < 0) return false;
        result = operand(Space::Globals, slot);
        return true;
    }
    // A lambda captures the variables that it uses by value; a named function sees no surrounding variables.
    bool capturable = code_->body.name.empty() || !outer_;
    Operand source = 0;
    if (outer_ && capturable) {
        if (outer_->isAttribute(name)) {
            source = outer_->newRegister();
            outer_->attribute(name, source);
            outer_->locals_[" attribute " + name] = source;  // stays until the lambda is made
        } else if (!outer_->findVariable(name, source)) {
            return false;
        }
    } else if (surroundings_.scope && !outer_) {
        Value value;
        if (!surroundings_.scope->lookup(name, value)) return false;
        if (value.isFunction() && findFunction(name)) return false;
        capturedValues_.push_back(std::move(value));
    } else {
        return false;
    }
    code_->captureNames.push_back(name);
    captureSources_.push_back(source);
    result = operand(Space::Captures, static_cast<int>(code_->captureNames.size()) - 1);
    locals_[name] = result;
    return true;
}

Operand FunctionCompiler::makeVariable(const std::string& name, SourcePosition position) {
    Operand place;
    if (findLocal(name, place) && spaceOf(place) != static_cast<int>(Space::Captures)) return place;
    if (code_->topLevel) {
        try {
            return operand(Space::Globals, surroundings_.session->makeVariable(name));
        } catch (const UserError& e) {
            throw SyntaxError(position, e.what(), e.hint());
        }
    }
    // Locals are numbered among the temporaries: their registers are never released.
    Operand r = newRegister();
    locals_[name] = r;
    return r;
}

// Two modules that have the function: the error gets the place of the name.
Ref<Function> FunctionCompiler::inModules(const std::vector<Ref<Module>>& modules, const std::string& name) const {
    try {
        return findInModules(modules, name);
    } catch (const UserError& e) {
        throw SyntaxError(position_, e.what(), e.hint());
    }
}

Ref<Function> FunctionCompiler::findFunction(const std::string& name) {
    if (!selfName_.empty() && name == selfName_) {
        if (!selfCell_) selfCell_ = makeRef<FunctionCell>(selfName_, code_->signature);
        return selfCell_;
    }
    for (FunctionCompiler* c = this; c; c = c->outer_) {
        auto it = c->defined_.find(name.starts_with("::") ? name.substr(2) : name);
        if (it != c->defined_.end()) return it->second;
        if (c->outer_ && !c->outer_->selfName_.empty() && c->outer_->selfName_ == name)
            return c->outer_->findFunction(name);
    }
    const bool root = name.starts_with("::");
    if (surroundings_.module && !root) {
        const Module& module = *surroundings_.module;
        std::string_view own = name;
        if (own.starts_with(module.name + "::")) own.remove_prefix(module.name.size() + 2);
        if (Ref<Function> f = module.find(own)) return f;
        if (Ref<Function> f = inModules(module.imports, name)) return f;
    }
    if (const auto* script = outermost().scriptFunctions_) {
        auto it = script->find(name);
        if (it != script->end()) return it->second;
    }
    if (surroundings_.known) {
        auto it = surroundings_.known->find(name);
        if (it != surroundings_.known->end()) return it->second;
    }
    if (surroundings_.session) {
        if (Ref<Function> f = root ? Ref<Function>() : inModules(surroundings_.session->modules(), name)) return f;
        if (Ref<Function> f = surroundings_.session->findFunction(name)) return f;
    }
    auto* store = surroundings_.services ? surroundings_.services->find<ModuleStore>() : nullptr;
    if (Ref<Function> f = store && !root ? store->findPreloaded(name) : Ref<Function>()) return f;
    if (surroundings_.scope && !surroundings_.session) {
        Value value;
        if (surroundings_.scope->lookup(name, value) && value.isFunction()) return Ref<Function>(&value.function());
    }
    std::string_view plain = name;
    if (plain.starts_with("::")) plain.remove_prefix(2);
    if (const BuiltinFunction* f = FunctionRegistry::instance().find(plain)) {
        return Ref<Function>(const_cast<BuiltinFunction*>(f));
    }
    if (Ref<Function> view =
            surroundings_.services ? findViewFunction(*surroundings_.services, plain) : Ref<Function>())
        return view;
    if (!surroundings_.session || !surroundings_.session->ignoresCaseOfFunctions) return Ref<Function>();
    std::string lower(plain);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return Ref<Function>(const_cast<BuiltinFunction*>(FunctionRegistry::instance().find(lower)));
}

bool FunctionCompiler::isShared(const std::string& name) const {
    if (outermost().sharedBefore_.contains(name)) return true;
    auto* shared = surroundings_.services ? surroundings_.services->find<SharedObjects>() : nullptr;
    Value ignored;
    return shared && shared->find(name, ignored);
}

std::string FunctionCompiler::nearestTo(const std::string& name, NameUse use) const {
    // Names that the compiler generates begin with a blank.
    std::vector<std::string> own;
    for (const FunctionCompiler* c = this; c; c = c->outer_) {
        for (const auto& [known, place] : c->locals_) own.push_back(known);
        for (const auto& [known, function] : c->defined_) own.push_back(known);
    }
    if (surroundings_.session) {
        const bool sees = code_->topLevel;
        for (std::string& known : surroundings_.session->functionNames()) own.push_back(std::move(known));
        if (sees) {
            for (std::string& known : surroundings_.session->variableNames()) own.push_back(std::move(known));
        }
    }
    std::erase_if(own, [](const std::string& known) { return known.starts_with(' '); });
    return adviceForName(name, use, {own.begin(), own.end()});
}

// Explains where else the name is known: columns are names inside of queries only, variables of the session outside of
// functions.
std::string FunctionCompiler::elsewhereNote(const std::string& name) const {
    if (!surroundings_.session) return {};
    if (!code_->topLevel) {
        if (surroundings_.session->findVariable(name) < 0) return {};
        return fmt::format("A function sees no variables of the session: make {} a parameter of it.", name);
    }
    for (const std::string& variable : surroundings_.session->variableNames()) {
        Value value;
        if (!surroundings_.session->lookup(variable, value) || !value.isTable()) continue;
        if (value.table().findColumn(name) < 0) continue;
        return fmt::format("{0} is a column of {1}: write {1}.{0}, or select … from {1}.", name, variable);
    }
    return {};
}

void FunctionCompiler::unknownName(const std::string& name, SourcePosition position) const {
    std::string hint = elsewhereNote(name);
    throw SyntaxError(position, fmt::format("Cannot recognize the token {}", name),
                      hint.empty() ? nearestTo(name, NameUse::Word) : std::move(hint));
}

bool FunctionCompiler::isChangeable(const std::string& name) const {
    auto holds = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const bool ofSession = code_->topLevel && surroundings_.session->isConstant(name);
    return !holds(constants_) && !holds(readOnly_) && !ofSession;
}

void FunctionCompiler::requireChangeable(const std::string& name, SourcePosition position) const {
    if (isChangeable(name)) return;
    const bool parameter = std::find(readOnly_.begin(), readOnly_.end(), name) != readOnly_.end();
    throw SyntaxError(position, fmt::format("Constant variable [{}] can't be modified.", name),
                      parameter ? "Declare the parameter mutable, or work on a copy of it." : "");
}

// A lambda captures its surroundings by value: a change of a parameter of the enclosing function would be lost.
void FunctionCompiler::requireOwn(const std::string& name, SourcePosition position) const {
    Operand place;
    if (!findLocal(name, place) || spaceOf(place) != static_cast<int>(Space::Captures)) return;
    for (const FunctionCompiler* c = outer_; c; c = c->outer_) {
        const auto& parameters = c->code_->signature.parameters;
        if (std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; })) {
            throw SyntaxError(position, fmt::format("Constant variable [{}] can't be modified.", name),
                              fmt::format("Declare it as a parameter of the inner function: mutable {}.", name));
        }
    }
}

bool FunctionCompiler::isAttribute(const std::string& name) {
    // A lambda inside a method has captured the variables that it uses.
    if (!surroundings_.type || outer_) return false;
    const auto& attributes = surroundings_.type->attributes();
    const bool known =
        std::any_of(attributes.begin(), attributes.end(), [&](const Attribute& a) { return a.name == name; });
    return known && !locals_.contains(name);
}

void FunctionCompiler::attribute(const std::string& name, Operand target) {
    Operand self;
    findVariable("self", self);
    emit(Op::Member, target, self, constant(Value::ofString(name)));
}

// A method of some class that this code can know of.
bool FunctionCompiler::isMethodName(const std::string& name) {
    auto has = [&](const Ref<Function>& f) {
        const auto* type = dynamic_cast<const ClassFunction*>(f.get());
        return type && type->method(name);
    };
    if (surroundings_.type && surroundings_.type->method(name)) return true;
    for (FunctionCompiler* c = this; c; c = c->outer_) {
        for (const auto& [known, f] : c->defined_) {
            if (has(f)) return true;
        }
    }
    if (!surroundings_.session) return false;
    for (const std::string& known : surroundings_.session->functionNames()) {
        if (has(surroundings_.session->findFunction(known))) return true;
    }
    return false;
}

Ref<Function> FunctionCompiler::findMethod(const Call& node, bool& ofSelf) {
    if (node.callee->kind != NodeKind::Name) return Ref<Function>();
    const auto& callee = static_cast<const Name&>(*node.callee);
    if (callee.functionOnly) return Ref<Function>();
    if (node.style == Call::Style::Method) {
        if (!isMethodName(callee.name)) return Ref<Function>();
        return makeRef<MethodFunction>(callee.name, findFunction(callee.name));
    }
    Operand ignored;
    const bool inMethod = surroundings_.type && findVariable("self", ignored);
    if (!inMethod || !surroundings_.type->method(callee.name)) return Ref<Function>();
    ofSelf = true;
    return makeRef<MethodFunction>(callee.name);
}

// A class shares its name with no function and no shared table: C(…) makes an instance.
void FunctionCompiler::requireClassName(const ClassDefinition& node) {
    if (FunctionRegistry::instance().find(node.name)) {
        throw SyntaxError(node.position,
                          fmt::format("The built-in function [{}] can't be redefined. RefId: S06005", node.name),
                          "Choose another name.");
    }
    Ref<Function> known = findFunction(node.name);
    if ((known && !dynamic_cast<ClassFunction*>(known.get())) || isShared(node.name)) {
        throw SyntaxError(node.position,
                          fmt::format("The name {} is that of a {} already.", node.name, known ? "function" : "table"),
                          "Choose another name for the class.");
    }
}

// Methods are functions whose first parameter is the instance, `self`.
void FunctionCompiler::classDefinition(const ClassDefinition& node) {
    if (outer_ || !code_->topLevel) throw SyntaxError(node.position, "A class can't be defined inside a function.");
    Ref<ClassFunction> base;
    if (!node.base.empty()) {
        Ref<Function> found = findFunction(node.base);
        base = Ref<ClassFunction>(dynamic_cast<ClassFunction*>(found.get()));
        if (!base) throw SyntaxError(node.position, fmt::format("The base class {} is not defined.", node.base));
    }
    std::vector<Attribute> attributes;
    for (const auto& [name, type] : node.attributes) {
        const auto inherited = base ? base->attributes() : std::vector<Attribute>();
        auto same = [&](const Attribute& a) { return a.name == name; };
        if (std::any_of(inherited.begin(), inherited.end(), same) ||
            std::any_of(attributes.begin(), attributes.end(), same)) {
            throw SyntaxError(node.position, fmt::format("The class {} has the attribute {} twice.", node.name, name));
        }
        try {
            attributes.push_back(attributeOf(name, type));
        } catch (const UserError& e) {
            throw SyntaxError(node.position, e.what(), e.hint());
        }
    }
    requireClassName(node);
    auto type = makeRef<ScriptClass>(node.name, base, std::move(attributes));
    // All names are declared first: methods call each other whatever their order.
    for (const NodeRef& method : node.methods) {
        const FunctionBody& body = static_cast<const FunctionDefinition&>(*method).function;
        type->addMethod(body.name, makeRef<MethodFunction>(body.name));
    }
    defined_[node.name] = type;
    for (const NodeRef& method : node.methods) {
        FunctionBody body = static_cast<const FunctionDefinition&>(*method).function;
        if (body.isDeclaration) {
            bool defined = std::any_of(node.methods.begin(), node.methods.end(), [&](const NodeRef& other) {
                const FunctionBody& o = static_cast<const FunctionDefinition&>(*other).function;
                return !o.isDeclaration && o.name == body.name;
            });
            if (!defined) {
                throw SyntaxError(method->position,
                                  fmt::format("The method {} of {} is declared, but not defined. RefId: S06007",
                                              body.name, node.name));
            }
            continue;
        }
        body.parameters.insert(body.parameters.begin(), {"self", false, NodeRef(), method->position});
        CompileSurroundings surroundings = surroundings_;
        surroundings.type = type.get();
        FunctionCompiler inner(surroundings, nullptr);
        inner.scriptFunctions_ = &defined_;
        const std::string name = body.name;
        Ref<CompiledFunction> compiled = inner.function(body, {});
        type->addMethod(name, makeRef<Closure>(compiled, std::vector<Value>()));
    }
    emit(Op::DefineFunction, 0, constant(Value::of(Ref<Function>(type))), constant(Value()));
}

Ref<CompiledFunction> compileScript(const NodeList& statements, Session& session) {
    CompileSurroundings surroundings{&session, &session.services()};
    FunctionCompiler compiler(surroundings, nullptr);
    return compiler.script(statements);
}

Ref<Closure> compileExpression(const NodeRef& expression, const std::vector<std::string>& parameters,
                               const Scope* scope, const Services& services) {
    CompileSurroundings surroundings{nullptr, &services, scope};
    FunctionCompiler compiler(surroundings, nullptr);
    FunctionBody body;
    for (const std::string& name : parameters) body.parameters.push_back({name, true, NodeRef(), {}});
    body.body = expression;
    Ref<CompiledFunction> code = compiler.function(body, {});
    code->isPartOfQuery = true;
    return makeRef<Closure>(code, compiler.capturedValues());
}

void compileModuleFunction(const FunctionBody& body, const std::string& origin, Module& module,
                           const Services& services, CompiledFor compiledFor) {
    Ref<Function> declared = module.find(body.name);
    auto* cell = dynamic_cast<FunctionCell*>(declared.get());
    if (body.isDeclaration) {
        Signature signature;
        for (const ParameterNode& p : body.parameters) signature.parameters.push_back({p.name, false, p.isMutable, {}});
        module.cells.push_back(makeRef<FunctionCell>(body.name, signature));
        module.functions[body.name] = module.cells.back();
        return;
    }
    CompileSurroundings surroundings;
    surroundings.services = &services;
    surroundings.module = &module;
    surroundings.compiledFor = compiledFor;
    FunctionCompiler compiler(surroundings, nullptr);
    compiler.code_->origin = origin;
    Ref<CompiledFunction> code = compiler.function(body, {});
    Ref<Function> closure = makeRef<Closure>(code, std::vector<Value>());
    if (compiler.selfCell_) {
        compiler.selfCell_->target = closure;
        module.cells.push_back(compiler.selfCell_);
    }
    if (cell && !cell->target) cell->target = closure;
    module.functions[body.name] = closure;
}

Ref<CompiledFunction> compileFunction(const FunctionBody& body, const std::vector<std::string>& captures,
                                      const std::unordered_map<std::string, Ref<Function>>& known,
                                      const Services& services) {
    CompileSurroundings surroundings{nullptr, &services, nullptr, &known};
    FunctionCompiler compiler(surroundings, nullptr);
    return compiler.function(body, captures);
}

}  // namespace pelorus

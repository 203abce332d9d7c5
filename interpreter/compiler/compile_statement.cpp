#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "interpreter/compiler/function_compiler.h"
#include "interpreter/parser/jit_rules.h"
#include "interpreter/parser/parser.h"
#include "runtime/code/query.h"
#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/registry/registry.h"

namespace pelorus {

void FunctionCompiler::statement(const NodeRef& node) {
    SourcePosition outerPosition = position_;
    int32_t outerStatement = statement_;
    int mark = nextRegister_;
    position_ = node->position;
    if (node->kind != NodeKind::Block) {
        code_->statements.push_back(node);
        statement_ = static_cast<int32_t>(code_->statements.size()) - 1;
        if (isForDebugger()) emit(Op::Statement);
    }
    ++nesting_;
    bool shown = false;
    switch (node->kind) {
        case NodeKind::ExpressionStatement: {
            const NodeRef& inner = static_cast<const ExpressionStatement&>(*node).expression;
            Operand value = expression(inner);
            shown = isShown();
            if (shown) emit(Op::Show, value);
            break;
        }
        case NodeKind::Assign:
            assign(static_cast<const Assign&>(*node));
            break;
        case NodeKind::FunctionDefinition:
            functionDefinition(static_cast<const FunctionDefinition&>(*node));
            break;
        case NodeKind::ClassDefinition:
            classDefinition(static_cast<const ClassDefinition&>(*node));
            break;
        case NodeKind::Block:
            block(node);
            break;
        case NodeKind::If:
            ifStatement(static_cast<const If&>(*node));
            break;
        case NodeKind::For:
            forStatement(static_cast<const For&>(*node));
            break;
        case NodeKind::DoWhile:
            doWhile(static_cast<const DoWhile&>(*node));
            break;
        case NodeKind::Break:
        case NodeKind::Continue: {
            if (loops_.empty()) throw SyntaxError(node->position, "break and continue belong inside a loop.");
            if (loops_.back().tryDepth < transactionDepth_) leavesTransaction(node->position);
            for (int i = loops_.back().tryDepth; i < tryDepth_; ++i) emit(Op::EndTry);
            auto& jumps = node->kind == NodeKind::Break ? loops_.back().breaks : loops_.back().continues;
            jumps.push_back(emitJump(Op::Jump));
            break;
        }
        case NodeKind::Return: {
            const auto& r = static_cast<const Return&>(*node);
            if (transactionDepth_ > 0) leavesTransaction(node->position);
            Operand value = r.value ? expression(r.value) : constant(Value());
            emit(Op::Return, value);
            break;
        }
        case NodeKind::Try:
            tryStatement(static_cast<const Try&>(*node));
            break;
        case NodeKind::Throw:
            emit(Op::Throw, expression(static_cast<const Throw&>(*node).value));
            break;
        case NodeKind::Assert: {
            const auto& a = static_cast<const Assert&>(*node);
            const NodeRef& given = a.name ? a.name : a.caseName;
            Operand name = given ? expression(given) : constant(Value::ofString("adhocTesting"));
            emit(Op::Assert, expression(a.condition), name);
            break;
        }
        case NodeKind::Timer:
            timer(static_cast<const Timer&>(*node));
            break;
        case NodeKind::Share: {
            const auto& s = static_cast<const Share&>(*node);
            Operand value = expression(s.value);
            emit(Op::Share, value, constant(Value::ofString(s.name)));
            sharedBefore().insert(s.name);
            break;
        }
        case NodeKind::Go:
            break;
        case NodeKind::Use: {
            // Modules are known since before the text was compiled (engine.cpp).
            const std::string& text = static_cast<const Directive&>(*node).text;
            if (text.starts_with("catalog ")) {
                emit(Op::Directive, 0, constant(Value::ofString(text.substr(8))));
            }
            break;
        }
        case NodeKind::Module:
            throw SyntaxError(node->position, "`module` belongs in the first line of a module's file.");
        case NodeKind::Include:
            throw SyntaxError(node->position, "#include stands at the top level of a script only.");
        case NodeKind::Transaction:
            transaction(static_cast<const TransactionBlock&>(*node));
            break;
        default: {
            Operand value = expression(node);
            shown = isShown();
            if (shown) emit(Op::Show, value);
        }
    }
    // The last statement is no expression: a script's value is VOID again.
    if (code_->topLevel && nesting_ == 1 && !shown) emit(Op::Show, constant(Value()), 0, 0, 1);
    --nesting_;
    // Variables made by the statement keep their registers; temporaries above the last of them are free again.
    int top = mark;
    for (const auto& [name, place] : locals_) {
        if (spaceOf(place) == static_cast<int>(Space::Frame)) top = std::max(top, indexOf(place) + 1);
    }
    release(top);
    position_ = outerPosition;
    statement_ = outerStatement;
}

// Values of expression statements are shown at the top level of a script, not from inside loops and branches.
bool FunctionCompiler::isShown() const {
    return code_->topLevel && !outer_ && nesting_ == 1;
}

void FunctionCompiler::block(const NodeRef& node) {
    for (const NodeRef& s : static_cast<const Block&>(*node).statements) statement(s);
}

// The variable in y = asis(x), or null.
static NodeRef nameOfAsis(const Assign& node) {
    if (node.compound || node.targets.size() != 1 || node.targets[0]->kind != NodeKind::Name) return NodeRef();
    if (node.value->kind != NodeKind::Call) return NodeRef();
    const auto& call = static_cast<const Call&>(*node.value);
    const bool asis = roleOf(call.callee) == Role::AsIs && call.arguments.size() == 1 &&
                      call.arguments[0].keyword.empty() && call.arguments[0].value->kind == NodeKind::Name;
    return asis ? call.arguments[0].value : NodeRef();
}

void FunctionCompiler::assign(const Assign& node) {
    if (node.compound) {
        for (const NodeRef& target : node.targets) compoundAssign(node, target);
        return;
    }
    // y = asis(x) is &y = x.
    Operand referred;
    if (const NodeRef named = nameOfAsis(node);
        named && !node.isConst && findVariable(static_cast<const Name&>(*named).name, referred)) {
        auto reference = makeRef<Assign>(node.targets, named, node.position);
        reference->byReference = true;
        return assign(*reference);
    }
    if (node.byReference) {
        // Two names of one variable: the compiler knows both, nothing happens at run time.
        const auto& left = static_cast<const Name&>(*node.targets[0]);
        if (node.value->kind != NodeKind::Name) {
            assignTo(node.targets[0], expression(node.value), false);
            return;
        }
        const auto& right = static_cast<const Name&>(*node.value);
        Operand place;
        if (!findVariable(right.name, place)) unknownName(right.name, right.position);
        if (code_->topLevel) {
            surroundings_.session->aliasVariable(left.name, indexOf(place));
        } else {
            locals_[left.name] = place;
        }
        return;
    }
    if (node.targets.size() == 1) {
        const NodeRef& target = node.targets[0];
        // Stores straight into the variable, unless the expression may still read the old value meanwhile.
        if (target->kind == NodeKind::Name && !node.isConst) {
            const auto& name = static_cast<const Name&>(*target);
            requireChangeable(name.name, target->position);
            if (isAttribute(name.name)) {
                assignTo(target, expression(node.value), false);
                return;
            }
            // u = t: a table is changed by statements that name it, so u gets its own copy.
            const auto ofVariable = static_cast<uint8_t>(node.value->kind == NodeKind::Name);
            if (nesting_ == 1 && isAlias(name.name)) {
                Operand value = newRegister();
                expressionInto(node.value, value);
                forgetAlias(name.name);
                emit(Op::Move, makeVariable(name.name, target->position), value, 0, ofVariable);
                return;
            }
            Operand place;
            bool known = findLocal(name.name, place) ||
                         (code_->topLevel && surroundings_.session->findVariable(name.name) >= 0 &&
                          findVariable(name.name, place));
            if (known && spaceOf(place) != static_cast<int>(Space::Captures) && !ofVariable) {
                expressionInto(node.value, place);
                return;
            }
            int mark = nextRegister_;
            Operand value = expression(node.value);
            bool fresh = spaceOf(value) == static_cast<int>(Space::Frame) && indexOf(value) >= mark;
            if (!code_->topLevel && fresh && !known) {
                locals_[name.name] = value;  // the temporary becomes the variable
            } else {
                emit(Op::Move, makeVariable(name.name, target->position), value, 0, ofVariable);
            }
            return;
        }
        assignTo(target, expression(node.value), node.isConst);
        return;
    }
    Operand value = expression(node.value);
    auto count = static_cast<uint8_t>(node.targets.size());
    Operand first = newRegister();
    for (size_t i = 1; i < node.targets.size(); ++i) newRegister();
    emit(Op::Unpack, first, value, 0, count);
    for (size_t i = 0; i < node.targets.size(); ++i)
        assignTo(node.targets[i], static_cast<Operand>(first + i), node.isConst);
}

// Returns whether &x = y made the name share its variable with another one; a whole new value is then for this name
// only.
bool FunctionCompiler::isAlias(const std::string& name) const {
    if (code_->topLevel) return surroundings_.session->isAlias(name);
    auto own = locals_.find(name);
    return own != locals_.end() && std::any_of(locals_.begin(), locals_.end(), [&](const auto& other) {
               return other.second == own->second && other.first != name;
           });
}

void FunctionCompiler::forgetAlias(const std::string& name) {
    if (code_->topLevel) {
        surroundings_.session->forgetAlias(name);
    } else {
        locals_.erase(name);
    }
}

void FunctionCompiler::assignTo(const NodeRef& target, Operand value, bool isConst) {
    position_ = target->position;
    switch (target->kind) {
        case NodeKind::Name: {
            const auto& name = static_cast<const Name&>(*target);
            if (!isConst) requireChangeable(name.name, target->position);
            if (isAttribute(name.name)) {
                Operand self;
                findVariable("self", self);
                emit(Op::IndexStore, self, constant(Value::ofString(name.name)), value, 1);
                return;
            }
            emit(Op::Move, makeVariable(name.name, target->position), value);
            if (isConst) {
                constants_.push_back(name.name);
                if (code_->topLevel) surroundings_.session->makeConstant(name.name);
            }
            return;
        }
        case NodeKind::Index: {
            const auto& node = static_cast<const Index&>(*target);
            auto store = [&](Operand object) {
                auto count = static_cast<uint8_t>(node.indices.size());
                Operand first = newRegister();
                for (size_t i = 1; i < node.indices.size(); ++i) newRegister();
                for (size_t i = 0; i < node.indices.size(); ++i) {
                    expressionInto(node.indices[i], static_cast<Operand>(first + i));
                }
                emit(Op::IndexStore, object, first, value, count);
            };
            if (node.object->kind == NodeKind::Name) {
                const auto& name = static_cast<const Name&>(*node.object);
                requireChangeable(name.name, target->position);
                Operand object;
                if (findVariable(name.name, object)) {
                    requireOwn(name.name, target->position);
                    store(object);
                    return;
                }
                if (!isShared(name.name) && !isAttribute(name.name)) unknownName(name.name, name.position);
            }
            // An element is taken out, changed, and stored back.
            Operand object = newRegister();
            expressionInto(node.object, object);
            store(object);
            bool attributeChanged =
                node.object->kind == NodeKind::Name && isAttribute(static_cast<const Name&>(*node.object).name);
            if (node.object->kind == NodeKind::Index || attributeChanged) assignTo(node.object, object, false);
            return;
        }
        case NodeKind::Member:
            throw SyntaxError(target->position, "Can't use assignment in expression.",
                              "Write t[`name] = value, or d[`key] = value.");
        default:
            throw SyntaxError(target->position,
                              "Please use '==' rather than '=' as equal operator in non-sql expression. RefId: S06011");
    }
}

void FunctionCompiler::compoundAssign(const Assign& node, const NodeRef& target) {
    if (target->kind == NodeKind::Member) {
        throw SyntaxError(target->position, "Can't use assignment in expression.", "Write t[`name] += value.");
    }
    NodeRef value = makeRef<Binary>(node.op, target, node.value, node.position);
    Operand result = newRegister();
    expressionInto(value, result);
    assignTo(target, result, false);
}

// Functions of the script are embedded in the parts, so that queries see them wherever they run.
std::shared_ptr<const MapReduceParts> FunctionCompiler::mapReduceParts(const FunctionDefinition& node) {
    auto parts = std::make_shared<MapReduceParts>();
    for (const ParameterNode& p : node.function.parameters) parts->parameters.push_back(p.name);
    auto known = [&](const NodeRef& part) {
        return rewrite(part, [&](const NodeRef& n) -> NodeRef {
            if (n->kind != NodeKind::Name) return NodeRef();
            const std::string& name = static_cast<const Name&>(*n).name;
            const auto& own = parts->parameters;
            if (std::find(own.begin(), own.end(), name) != own.end()) return NodeRef();
            Ref<Function> f = findFunction(name);
            if (!f || f->kind() == Function::Kind::Native) return NodeRef();
            return makeRef<Constant>(Value::of(f), n->position);
        });
    };
    for (const NodeRef& part : node.mapParts) parts->maps.push_back(known(part));
    parts->reduce = known(node.reducePart);
    return parts;
}

void FunctionCompiler::functionDefinition(const FunctionDefinition& node) {
    const FunctionBody& body = node.function;
    if (outer_ || !code_->topLevel) {
        throw SyntaxError(node.position, "A named function can't be defined inside another one. RefId: S06003",
                          "Use a lambda, as in f = def(x) { … }.");
    }
    if (node.isMapReduce) {
        Ref<Function> declared = findFunction(body.name);
        if (!declared) {
            throw SyntaxError(node.position, fmt::format("mapr needs the function {} to be defined before.", body.name),
                              fmt::format("Write defg {}(…) first.", body.name));
        }
        if (const auto* closure = dynamic_cast<const Closure*>(declared.get())) {
            closure->code().mapReduce.store(mapReduceParts(node));
        }
        return;
    }
    if (FunctionRegistry::instance().find(body.name)) {
        throw SyntaxError(node.position,
                          fmt::format("The built-in function [{}] can't be redefined. RefId: S06005", body.name),
                          "Choose another name.");
    }
    if (body.isDeclaration) {
        Signature signature;
        for (const ParameterNode& p : body.parameters) signature.parameters.push_back({p.name, false, p.isMutable, {}});
        auto cell = makeRef<FunctionCell>(body.name, signature);
        surroundings_.session->own(cell);
        defined_[body.name] = cell;
        emit(Op::DefineFunction, 0, constant(Value::of(Ref<Function>(cell))), constant(Value()));
        return;
    }
    if (body.isJit) checkJitRules(body);
    FunctionCompiler inner(surroundings_, this);
    Ref<CompiledFunction> compiled = inner.function(body, {});
    Ref<Function> closure = makeRef<Closure>(compiled, std::vector<Value>());
    if (inner.selfCell_) {
        inner.selfCell_->target = closure;
        surroundings_.session->own(inner.selfCell_);
    }
    // A declaration made earlier now has its body.
    Ref<Function> declared =
        defined_.contains(body.name) ? defined_[body.name] : surroundings_.session->findFunction(body.name);
    auto* cell = dynamic_cast<FunctionCell*>(declared.get());
    bool completes = cell && !cell->target;
    if (completes && cell->signature().parameters.size() != body.parameters.size()) {
        throw SyntaxError(
            node.position,
            fmt::format("The definition of {} is inconsistent with the declared signature. RefId: S06008", body.name),
            fmt::format("It was declared with {} parameters and has {}.", cell->signature().parameters.size(),
                        body.parameters.size()));
    }
    if (completes) cell->target = closure;
    defined_[body.name] = closure;
    emit(Op::DefineFunction, 0, constant(Value::of(closure)), constant(Value()));
}

void FunctionCompiler::ifStatement(const If& node) {
    size_t otherwise = emitJump(Op::JumpIfFalse, expression(node.condition));
    statement(node.then);
    if (!node.otherwise) {
        patch(otherwise);
        return;
    }
    size_t end = emitJump(Op::Jump);
    patch(otherwise);
    statement(node.otherwise);
    patch(end);
}

void FunctionCompiler::patchLoop(const Loop& loop, size_t continueAt) {
    CHECK(continueAt <= here()) << "a loop goes on within the function";
    for (size_t at : loop.breaks) patch(at);
    for (size_t at : loop.continues) code_->code[at].setTarget(static_cast<int32_t>(continueAt));
}

void FunctionCompiler::forStatement(const For& node) {
    // The vector of a..b is never built: a loop needs only its ends.
    const Binary* sequence = nullptr;
    if (node.range->kind == NodeKind::Binary) sequence = static_cast<const Binary*>(node.range.get());
    if (sequence != nullptr && sequence->op != Operator::Seq) sequence = nullptr;
    const Operand range = expression(sequence != nullptr ? sequence->left : node.range);
    const Operand last = sequence != nullptr ? expression(sequence->right) : Operand{};
    // Two registers that stay for the whole loop, under names that no script can write.
    std::string hidden = fmt::format(" for {}", code_->code.size());
    Operand state = newRegister();
    Operand position = newRegister();
    locals_[hidden] = state;
    locals_[hidden + "."] = position;
    if (sequence != nullptr) {
        const SourcePosition outer = position_;
        if (sequence->position.known()) position_ = sequence->position;
        emit(Op::ForSequence, state, range, last);
        position_ = outer;
    } else {
        emit(Op::ForStart, state, range);
    }
    Operand variable = node.variables.size() == 1 ? makeVariable(node.variables[0], node.position) : newRegister();
    std::string hiddenRow = hidden + " row";
    if (node.variables.size() > 1) locals_[hiddenRow] = variable;
    size_t next = here();
    emit(Op::ForNext, variable, state);
    size_t end = emitJump(Op::Jump);
    if (node.variables.size() > 1) {
        Operand first = newRegister();
        for (size_t i = 1; i < node.variables.size(); ++i) newRegister();
        emit(Op::Unpack, first, variable, 0, static_cast<uint8_t>(node.variables.size()));
        for (size_t i = 0; i < node.variables.size(); ++i) {
            emit(Op::Move, makeVariable(node.variables[i], node.position), static_cast<Operand>(first + i));
        }
    }
    loops_.push_back({{}, {}, tryDepth_});
    statement(node.body);
    size_t back = emitJump(Op::Jump);
    code_->code[back].setTarget(static_cast<int32_t>(next));
    patch(end);
    patchLoop(loops_.back(), next);
    loops_.pop_back();
    locals_.erase(hidden);
    locals_.erase(hidden + ".");
    locals_.erase(hiddenRow);
}

void FunctionCompiler::doWhile(const DoWhile& node) {
    size_t top = here();
    loops_.push_back({{}, {}, tryDepth_});
    statement(node.body);
    size_t condition = here();
    position_ = node.condition->position;
    Operand value = expression(node.condition);
    size_t again = emitJump(Op::JumpIfTrue, value);
    code_->code[again].setTarget(static_cast<int32_t>(top));
    patchLoop(loops_.back(), condition);
    loops_.pop_back();
}

void FunctionCompiler::tryStatement(const Try& node) {
    Operand exception = node.variable.empty() ? newRegister() : makeVariable(node.variable, node.position);
    size_t begin = emitJump(Op::Try, exception);
    ++tryDepth_;
    statement(node.body);
    --tryDepth_;
    emit(Op::EndTry);
    size_t end = emitJump(Op::Jump);
    patch(begin);
    statement(node.handler);
    patch(end);
}

void FunctionCompiler::leavesTransaction(SourcePosition position) {
    throw SyntaxError(position, "A transaction can't be left in the middle.",
                      "End the block with commit or rollback, or throw an exception.");
}

// Atomic and isolated: the shared tables belong to this session until the block ends, and what it does to stored tables
// is one transaction.
void FunctionCompiler::transaction(const TransactionBlock& node) {
    if (transactionDepth_ > 0) throw SyntaxError(node.position, "A transaction can't stand inside another one.");
    auto callOf = [&](const char* function, std::initializer_list<Operand> arguments) {
        Operand result = newRegister();
        CallSite site;
        const BuiltinFunction& builtin = FunctionRegistry::instance().getForNode(function);
        site.callee = constant(Value::of(Ref<Function>(const_cast<BuiltinFunction*>(&builtin))));
        site.base = static_cast<uint16_t>(nextRegister_);
        site.count = static_cast<uint16_t>(arguments.size());
        for (Operand argument : arguments) emit(Op::Move, newRegister(), argument);
        emit(Op::Call, result, callSite(std::move(site)));
        return result;
    };
    const std::string hidden = fmt::format(" transaction {}", code_->code.size());
    Operand transaction = callOf("beginTransaction", {});
    locals_[hidden] = transaction;
    Operand exception = newRegister();
    locals_[hidden + "."] = exception;
    const size_t begin = emitJump(Op::Try, exception);
    ++tryDepth_;
    transactionDepth_ = tryDepth_;
    statement(node.body);
    transactionDepth_ = 0;
    --tryDepth_;
    emit(Op::EndTry);
    callOf("endTransaction", {transaction, constant(Value::ofBool(node.rollsBack))});
    const size_t end = emitJump(Op::Jump);
    patch(begin);
    callOf("endTransaction", {transaction, constant(Value::ofBool(true))});
    emit(Op::Throw, exception);
    patch(end);
    locals_.erase(hidden);
    locals_.erase(hidden + ".");
}

void FunctionCompiler::timer(const Timer& node) {
    Operand start = newRegister();
    std::string hidden = fmt::format(" timer {}", code_->code.size());
    locals_[hidden] = start;
    Operand left = newRegister();
    locals_[hidden + "."] = left;
    if (node.count) expressionInto(node.count, left);
    emit(Op::TimerStart, start);
    size_t top = here();
    if (node.body->kind == NodeKind::Assign) {
        assign(static_cast<const Assign&>(*node.body));
    } else if (node.body->kind == NodeKind::Block) {
        block(node.body);
    } else if (node.body->kind >= NodeKind::ExpressionStatement) {
        statement(node.body);
    } else {
        expression(node.body);
    }
    if (node.count) {
        size_t again = emitJump(Op::CountDown, left);
        code_->code[again].setTarget(static_cast<int32_t>(top));
    }
    emit(Op::TimerStop, start);
    locals_.erase(hidden);
    locals_.erase(hidden + ".");
}

}  // namespace pelorus

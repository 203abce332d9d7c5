// FunctionCompiler holds the state of the compiler for one function, or a script's top level. Only the files of this
// folder use it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interpreter/bytecode/compiled_function.h"
#include "interpreter/session/classes.h"
#include "interpreter/session/modules.h"
#include "interpreter/session/session.h"
#include "runtime/code/statement.h"

namespace pelorus {

enum class NameUse : uint8_t;

// The names that are known outside of the function that is compiled.
struct CompileSurroundings {
    Session* session = nullptr;  // session of top-level code, and of lookups of functions; may be null
    const Services* services = nullptr;
    const Scope* scope = nullptr;  // scope of an expression that is evaluated, whose variables are captured by value
    const std::unordered_map<std::string, Ref<Function>>* known = nullptr;  // functions that came with this one
    const Module* module = nullptr;                                         // the module it belongs to
    const ScriptClass* type = nullptr;                                      // the class whose method it is
    CompiledFor compiledFor = CompiledFor::Speed;  // decides for a module; for other code the session decides
};

// The compiler of one function; `outer` is that of the function around it.
class FunctionCompiler {
public:
    FunctionCompiler(const CompileSurroundings& surroundings, FunctionCompiler* outer);

    Ref<CompiledFunction> script(const NodeList& statements);
    Ref<CompiledFunction> function(const FunctionBody& body, const std::vector<std::string>& captures);

    // Returns the values of the names in `captureNames` of the result, when they come from surroundings.scope.
    const std::vector<Value>& capturedValues() const { return capturedValues_; }

private:
    struct Loop {
        std::vector<size_t> breaks, continues;
        int tryDepth;
    };

    // statements
    void statement(const NodeRef& node);
    void block(const NodeRef& node);
    bool isShown() const;
    void assign(const Assign& node);
    bool isAlias(const std::string& name) const;
    void forgetAlias(const std::string& name);
    void assignTo(const NodeRef& target, Operand value, bool isConst);
    void compoundAssign(const Assign& node, const NodeRef& target);
    void functionDefinition(const FunctionDefinition& node);
    std::shared_ptr<const MapReduceParts> mapReduceParts(const FunctionDefinition& node);
    void classDefinition(const ClassDefinition& node);
    void requireClassName(const ClassDefinition& node);
    void ifStatement(const If& node);
    void forStatement(const For& node);
    void doWhile(const DoWhile& node);
    void tryStatement(const Try& node);
    void timer(const Timer& node);
    void transaction(const TransactionBlock& node);
    [[noreturn]] static void leavesTransaction(SourcePosition position);
    void patchLoop(const Loop& loop, size_t continueAt);

    // expressions return the operand that holds the value; `into` stores it in that register
    Operand expression(const NodeRef& node);
    void expressionInto(const NodeRef& node, Operand target);
    bool directOperand(const Node& node, Operand& result);
    void name(const Name& node, Operand target);
    void binary(const Binary& node, Operand target);
    void shortCircuit(const Binary& node, Operand target);
    void ternary(const Ternary& node, Operand target);
    void nestedTernary(const Ternary& node, Operand target);
    void call(const Call& node, Operand target);
    NodeRef asOperator(const Call& node);
    void partial(const NodeRef& callee, const std::vector<Argument>& arguments, Operand target);
    void higherOrder(const HigherOrder& node, Operand target);
    void index(const Index& node, Operand target);
    void member(const Member& node, Operand target);
    void sequenceOf(Op op, const NodeList& items, Operand target);
    void dictionary(const DictionaryLiteral& node, Operand target);
    void lambda(const FunctionBody& body, Operand target);
    // These are in compile_region.cpp.
    bool region(const NodeRef& node, Operand target);
    NodeRef regionPart(const NodeRef& node, NodeList& leaves, int& steps);
    Ref<Function> elementwiseFunction(const Call& call);
    bool mayChange(const NodeRef& leaf, bool anything);
    void regionCode(const NodeRef& part, const std::vector<Operand>& leaves, Operand target);
    uint16_t callSite(CallSite site);
    Operand callee(const NodeRef& node);
    // Returns the callee of a call, as `callee` does; a function that is not known yet is searched when the call runs.
    Operand called(const NodeRef& node);
    void noteShared(const Call& node);
    void changesBefore(std::vector<Argument>& arguments);
    void preferFunction(const Call& node, std::vector<Argument>& arguments);
    void fillArguments(const std::vector<Argument>& arguments, CallSite& site);
    std::vector<std::pair<int, NodeRef>> changedInPlace(const Call& node, const Function& function,
                                                        const std::vector<Argument>& arguments, CallSite& site);
    void mayBeChanged(const std::vector<Argument>& arguments, CallSite& site);

    // names
    // Finds the place of a variable, or returns false. Captures it when an enclosing function or the scope has it.
    bool findVariable(const std::string& name, Operand& result);
    Operand makeVariable(const std::string& name, SourcePosition position);
    bool findLocal(const std::string& name, Operand& result) const;
    Ref<Function> findFunction(const std::string& name);
    Ref<Function> inModules(const std::vector<Ref<Module>>& modules, const std::string& name) const;
    bool isShared(const std::string& name) const;
    // Names that statements of this script share before they are used: share t as `st; st.
    std::set<std::string>& sharedBefore() { return outer_ ? outer_->sharedBefore() : sharedBefore_; }
    // For methods: isAttribute returns whether the name is an attribute of the instance; attribute compiles its
    // reading.
    bool isAttribute(const std::string& name);
    void attribute(const std::string& name, Operand target);
    // Finds the method that a call names: of the instance itself, or of an object before the dot.
    Ref<Function> findMethod(const Call& node, bool& ofSelf);
    bool isMethodName(const std::string& name);
    // Returns "Did you mean …?" with variables and functions that this code could have meant.
    std::string nearestTo(const std::string& name, NameUse use) const;
    std::string elsewhereNote(const std::string& name) const;
    [[noreturn]] void unknownName(const std::string& name, SourcePosition position) const;
    bool isChangeable(const std::string& name) const;
    void requireChangeable(const std::string& name, SourcePosition position) const;
    void requireOwn(const std::string& name, SourcePosition position) const;

    bool isForDebugger() const {
        return surroundings_.compiledFor == CompiledFor::Debugger ||
               (surroundings_.session && surroundings_.session->debugger);
    }

    // registers, constants, instructions
    Operand newRegister();
    void release(int mark) { nextRegister_ = mark; }
    Operand constant(Value value);
    size_t emit(Op op, Operand a = 0, Operand b = 0, Operand c = 0, uint8_t extra = 0);
    size_t emitJump(Op op, Operand a = 0, uint8_t extra = 0);
    void patch(size_t at) { code_->code[at].setTarget(static_cast<int32_t>(code_->code.size())); }
    size_t here() const { return code_->code.size(); }

    CompileSurroundings surroundings_;
    FunctionCompiler* outer_;
    Ref<CompiledFunction> code_;
    std::unordered_map<std::string, Operand> locals_;
    std::vector<std::string> constants_;                      // names declared const in this function
    std::vector<std::string> readOnly_;                       // parameters that are not mutable
    std::unordered_map<std::string, Ref<Function>> defined_;  // functions of this script so far
    std::vector<Operand> captureSources_;                     // operands of the captures in the outer function
    std::vector<Value> capturedValues_;
    std::vector<Loop> loops_;
    SourcePosition position_;
    int32_t statement_ = -1;
    int nextRegister_ = 0;
    int tryDepth_ = 0;
    int transactionDepth_ = 0;  // tryDepth_ inside the transaction around the code, or 0
    int nesting_ = 0;           // statements around the one being compiled
    std::set<std::string> sharedBefore_;
    const FunctionCompiler& outermost() const { return outer_ ? outer_->outermost() : *this; }
    // The functions of the script that defines the class, for methods.
    const std::unordered_map<std::string, Ref<Function>>* scriptFunctions_ = nullptr;
    std::string selfName_;
    Ref<FunctionCell> selfCell_;

    friend Ref<CompiledFunction> compileScript(const NodeList&, Session&);
    friend void compileModuleFunction(const FunctionBody&, const std::string&, Module&, const Services&, CompiledFor);
};

}  // namespace pelorus

// CompiledFunction is the bytecode of a function or of a script's top level: instructions, and the values and call
// sites they refer to. It is immutable once compiled, except for its hot-code cache and map-reduce parts; threads share
// it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/bytecode/bytecode.h"
#include "interpreter/bytecode/hot_code.h"
#include "interpreter/bytecode/region.h"
#include "runtime/code/expression.h"
#include "runtime/function/function.h"
#include "runtime/value/value.h"

namespace pelorus {

// A call in the bytecode. Its arguments are the registers from `base` on.
struct CallSite {
    Operand callee;
    uint16_t base = 0;
    uint16_t count = 0;
    std::vector<std::string> keywords;  // one per argument, empty where positional; empty list when none has one
    // Variables that the callee may change: they are moved into their argument and back after the call.
    std::vector<std::pair<int, Operand>> inPlace;
    // When the callee is a variable: the variables that the function found there changes.
    std::vector<std::pair<int, Operand>> changeable;
    // The first argument is the name of a variable of the session, which the callee may change: f(objByName(name)).
    bool firstIsByName = false;
    // When the callee is a variable: its name, and the function of that name, which is called when the variable holds
    // no function: count = 3; x.count(). Functions and variables have separate namespaces.
    std::string calleeName;
    Ref<Function> function;
    bool isInRegion = false;
};

// Returns whether the function changes its argument at `index` in place.
bool changesArgument(const Function& f, size_t index);

// The parts of an aggregate, declared by mapr f(parameters) { maps -> reduce }. Each map part is an aggregate of the
// rows of one partition; reduce is a function of the columns of their results. Functions of scripts are embedded in
// them as values.
struct MapReduceParts {
    std::vector<std::string> parameters;
    NodeList maps;
    NodeRef reduce;
};

// The bytecode with its source positions. Closures own it.
class CompiledFunction final : public Object {
public:
    FunctionBody body;
    Signature signature;
    std::vector<Instruction> code;
    std::vector<SourcePosition> positions;  // one per instruction
    std::vector<int32_t> statementOf;       // one per instruction: index into statements, or -1
    NodeList statements;
    std::vector<Value> constants;
    std::vector<CallSite> callSites;
    std::vector<Region> regions;  // regions ordered by position
    // Registers that MakeClosure captures, in the order of the function's captures.
    std::vector<std::vector<Operand>> captureLists;
    std::vector<std::string> captureNames;                   // names of the captured values of this function
    std::vector<std::pair<std::string, Operand>> variables;  // names visible to eval and queries
    // User functions that this one calls by name, itself excluded: they are sent to other nodes with it.
    std::vector<std::pair<std::string, Ref<Function>>> references;
    int frameSize = 0;
    bool topLevel = false;
    bool isPartOfQuery = false;  // an expression over columns: nobody wrote a function, and errors name none
    mutable HotCode hot;         // thread-safe
    // Set when the function is declared by mapr, which may be long after it was compiled.
    mutable std::atomic<std::shared_ptr<const MapReduceParts>> mapReduce;
    std::string origin;  // path of the module that it belongs to; empty for submitted text
};

}  // namespace pelorus

// CodeModule is an LLVM module that is compiled to machine code of this process, which lives until it is released.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace pelorus {

// The builder of one module. One thread uses it.
class CodeModule {
public:
    // Makes an empty module for this machine; ok() is false when LLVM cannot generate code for it.
    CodeModule();

    bool ok() const { return machine_ != nullptr; }
    llvm::LLVMContext& context() { return *context_; }
    llvm::Module& module() { return *module_; }

    // Verifies, optimises and compiles. Returns the address of `function`, or nullptr. Thread-safe; may be called once.
    void* compile(llvm::Function* function);
    // Returns the approximate memory of the code; valid after compile.
    int64_t codeBytes() const { return codeBytes_; }

private:
    std::unique_ptr<llvm::LLVMContext> context_;
    std::unique_ptr<llvm::Module> module_;
    std::unique_ptr<llvm::TargetMachine> machine_;
    int64_t codeBytes_ = 0;
};

// Frees the code at an address that `compile` returned. REQUIRES: no thread runs it.
void releaseCompiled(const void* address);

}  // namespace pelorus

// One LLVM module on its way to machine code of this process, which stays until it is released.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace pelorus {

class CodeModule {
public:
    // An empty module for this machine; ok() is false when LLVM cannot make code here.
    CodeModule();

    bool ok() const { return machine_ != nullptr; }
    llvm::LLVMContext& context() { return *context_; }
    llvm::Module& module() { return *module_; }

    // Verifies, optimises and compiles. The address of `function`, or nullptr. Thread-safe; used once.
    void* compile(llvm::Function* function);
    // After compile: the memory that the code takes, about.
    int64_t codeBytes() const { return codeBytes_; }

private:
    std::unique_ptr<llvm::LLVMContext> context_;
    std::unique_ptr<llvm::Module> module_;
    std::unique_ptr<llvm::TargetMachine> machine_;
    int64_t codeBytes_ = 0;
};

// Frees what compile gave. Nobody may run it.
void releaseCompiled(const void* address);

}  // namespace pelorus

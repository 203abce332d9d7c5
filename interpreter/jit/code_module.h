// One LLVM module on its way to machine code of this process. The code lives as long as the process.
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

private:
    std::unique_ptr<llvm::LLVMContext> context_;
    std::unique_ptr<llvm::Module> module_;
    std::unique_ptr<llvm::TargetMachine> machine_;
};

}  // namespace pelorus

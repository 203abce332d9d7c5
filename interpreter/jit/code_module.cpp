#include "interpreter/jit/code_module.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

namespace pelorus {

namespace {

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager callGraph;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(callGraph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, callGraph, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

// The code lives as long as the process: regions are cached, never dropped.
llvm::orc::LLJIT* jit() {
    static llvm::orc::LLJIT* instance = []() -> llvm::orc::LLJIT* {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        auto made = llvm::orc::LLJITBuilder().create();
        if (!made) {
            llvm::consumeError(made.takeError());
            return nullptr;
        }
        return made->release();
    }();
    return instance;
}

}  // namespace

CodeModule::CodeModule()
    : context_(std::make_unique<llvm::LLVMContext>()), module_(std::make_unique<llvm::Module>("hot", *context_)) {
    if (!jit()) return;
    auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!target) {
        llvm::consumeError(target.takeError());
        return;
    }
    target->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
    // Strict: a multiplication and an addition stay two roundings.
    target->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    auto machine = target->createTargetMachine();
    if (!machine) {
        llvm::consumeError(machine.takeError());
        return;
    }
    machine_ = std::move(*machine);
    module_->setDataLayout(machine_->createDataLayout());
    module_->setTargetTriple(machine_->getTargetTriple().str());
}

void* CodeModule::compile(llvm::Function* function) {
    // One at a time: the compiler behind LLJIT has state of its own.
    static std::mutex mutex;
    static int number = 0;
    std::lock_guard lock(mutex);
    std::string name = "hot" + std::to_string(number++);
    function->setName(name);
    for (llvm::Function& f : *module_) {
        if (f.isDeclaration()) continue;
        f.addFnAttr("prefer-vector-width", "512");
        f.addFnAttr("target-cpu", llvm::sys::getHostCPUName());
        f.addFnAttr("target-features", machine_->getTargetFeatureString());
    }
    if (llvm::verifyModule(*module_)) return nullptr;
    optimise(*module_, *machine_);
    if (auto error = jit()->addIRModule(llvm::orc::ThreadSafeModule(std::move(module_), std::move(context_)))) {
        llvm::consumeError(std::move(error));
        return nullptr;
    }
    auto symbol = jit()->lookup(name);
    if (!symbol) {
        llvm::consumeError(symbol.takeError());
        return nullptr;
    }
    return symbol->toPtr<void*>();
}

}  // namespace pelorus

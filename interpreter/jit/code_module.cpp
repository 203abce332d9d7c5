#include "interpreter/jit/code_module.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectTransformLayer.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <unordered_map>

#include "common/thread/mutex.h"

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

// Size of the object of the compilation under way, of which there is one at a time.
int64_t objectBytes = 0;

llvm::orc::LLJIT* jit() {
    static llvm::orc::LLJIT* instance = []() -> llvm::orc::LLJIT* {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        auto made = llvm::orc::LLJITBuilder().create();
        if (!made) {
            llvm::consumeError(made.takeError());
            return nullptr;
        }
        (*made)->getObjTransformLayer().setTransform([](std::unique_ptr<llvm::MemoryBuffer> object) {
            objectBytes = static_cast<int64_t>(object->getBufferSize());
            return llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>(std::move(object));
        });
        return made->release();
    }();
    return instance;
}

// Compiled code that is not released, by its address. The mutex guards it, as all of the compiler: LLJIT keeps state,
// too. Lives as long as the process.
struct Compiled {
    Mutex mutex;
    int64_t number GUARDED_BY(mutex) = 0;
    std::unordered_map<const void*, llvm::orc::ResourceTrackerSP> trackers GUARDED_BY(mutex);
};
Compiled& compiled() {
    static Compiled* instance = new Compiled;
    return *instance;
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
    Compiled& c = compiled();
    const MutexLock lock(c.mutex);
    const std::string name = "hot" + std::to_string(c.number++);
    function->setName(name);
    for (llvm::Function& f : *module_) {
        if (f.isDeclaration()) continue;
        f.addFnAttr("prefer-vector-width", "512");
        f.addFnAttr("target-cpu", llvm::sys::getHostCPUName());
        f.addFnAttr("target-features", machine_->getTargetFeatureString());
    }
    if (llvm::verifyModule(*module_)) return nullptr;
    optimise(*module_, *machine_);
    llvm::orc::ResourceTrackerSP tracker = jit()->getMainJITDylib().createResourceTracker();
    if (auto error =
            jit()->addIRModule(tracker, llvm::orc::ThreadSafeModule(std::move(module_), std::move(context_)))) {
        llvm::consumeError(std::move(error));
        return nullptr;
    }
    auto symbol = jit()->lookup(name);
    if (!symbol) {
        llvm::consumeError(symbol.takeError());
        llvm::consumeError(tracker->remove());
        return nullptr;
    }
    // Code, constants and unwinding tables have pages of their own.
    constexpr int64_t kPages = int64_t{3} * 4096;
    codeBytes_ = objectBytes + kPages;
    void* address = symbol->toPtr<void*>();
    c.trackers[address] = std::move(tracker);
    return address;
}

void releaseCompiled(const void* address) {
    Compiled& c = compiled();
    const MutexLock lock(c.mutex);
    const auto known = c.trackers.find(address);
    if (known == c.trackers.end()) return;
    llvm::consumeError(known->second->remove());
    c.trackers.erase(known);
    jit()->getExecutionSession().getSymbolStringPool()->clearDeadEntries();
}

}  // namespace pelorus

extern "C" void pelorusReleaseCode(const void* address) {
    pelorus::releaseCompiled(address);
}

#include "interpreter/fusion/compiled_regions.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <unordered_map>

#include "common/thread_pool.h"
#include "runtime/kernel/block_compiler.h"

namespace pelorus {

namespace {

// Rows after which compiling pays: the code generator needs some 20 ms, the block evaluator about 2 ns a row and
// operator.
constexpr int64_t kHotRows = 4'000'000;

// The one function of the library; nullptr when it refuses the program.
using CompileFunction = CompiledBlock (*)(const BlockProgram* program);

struct Region {
    int64_t rows = 0;
    bool asked = false;
    CompiledBlock code = nullptr;
};

// Guarded by mutex: everything. Lives as long as the process, since workers may still compile while it ends.
struct Cache {
    std::mutex mutex;
    std::unordered_map<std::string, Region> regions;
    CompileFunction compile = nullptr;
    bool opened = false;
    int64_t compiled = 0;
    int pending = 0;  // compilations under way
    std::condition_variable allDone;
    JitMode mode = JitMode::Off;
};

Cache& cache() {
    static Cache* instance = new Cache;
    return *instance;
}

// Beside the program in a build folder, in ../lib/pelorus when installed.
CompileFunction openLibrary() {
    std::error_code error;
    std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    constexpr const char* kName = "libpelorus_jit.so";
    for (const auto& candidate :
         {folder / kName, folder / "../lib/pelorus" / kName, folder / "../../" / kName, folder / "../" / kName}) {
        if (!std::filesystem::exists(candidate, error)) continue;
        if (void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
            return reinterpret_cast<CompileFunction>(dlsym(library, "pelorusCompileRegion"));
        }
    }
    return nullptr;
}

void compileRegion(const std::string& key, const BlockProgram& program) {
    Cache& c = cache();
    CompileFunction compile;
    {
        std::lock_guard lock(c.mutex);
        if (!c.opened) {
            c.opened = true;
            c.compile = openLibrary();
        }
        compile = c.compile;
    }
    CompiledBlock code = compile ? compile(&program) : nullptr;
    std::lock_guard lock(c.mutex);
    c.regions[key].code = code;
    if (code) ++c.compiled;
    if (--c.pending == 0) c.allDone.notify_all();
}

CompiledBlock codeFor(const BlockProgram& program, int64_t count) {
    Cache& c = cache();
    std::string key = regionKey(program);
    if (key.empty()) return nullptr;
    JitMode mode;
    {
        std::lock_guard lock(c.mutex);
        Region& region = c.regions[key];
        if (region.code) return region.code;
        region.rows += count;
        mode = c.mode;
        if (region.asked || (mode == JitMode::Hot && region.rows < kHotRows)) return nullptr;
        region.asked = true;
        ++c.pending;
    }
    if (mode == JitMode::Hot) {
        auto copy = std::make_shared<BlockProgram>(program);
        submit([key, copy] { compileRegion(key, *copy); });
        return nullptr;
    }
    compileRegion(key, program);
    std::lock_guard lock(c.mutex);
    return c.regions[key].code;
}

}  // namespace

std::string regionKey(const BlockProgram& program) {
    std::string key;
    auto operand = [&](BlockProgram::Register r) {
        if (r < 0) return;
        const BlockProgram::RegisterInfo& info = program.info(r);
        int type = static_cast<int>(info.type);
        switch (info.source) {
            case BlockProgram::Source::Input:
                key += fmt::format("i{}:{} ", info.index, type);
                break;
            case BlockProgram::Source::Constant:
                key += fmt::format("c{}:{:x} ", type, info.constant.isVoid() ? 0 : info.constant.integer());
                break;
            case BlockProgram::Source::Step:
                key += fmt::format("s{}:{} ", info.index, type);
                break;
        }
    };
    if (program.steps().empty() || program.steps().back().out != program.result()) return {};
    for (const BlockProgram::Step& s : program.steps()) {
        if (s.action == BlockProgram::Action::Opaque) return {};
        key += fmt::format("{}.{}.{} ", static_cast<int>(s.action), static_cast<int>(s.op), static_cast<int>(s.lane));
        operand(s.a);
        operand(s.b);
        operand(s.c);
        key += "> ";
        operand(s.out);
    }
    return key;
}

JitMode jitModeFromEnvironment() {
    const char* text = std::getenv("PELORUS_JIT");
    std::string mode = text ? text : "hot";
    if (mode == "off") return JitMode::Off;
    return mode == "always" ? JitMode::Always : JitMode::Hot;
}

void enableCompiledRegions(JitMode mode) {
    cache().mode = mode;
    setBlockCompiler(mode == JitMode::Off ? nullptr : codeFor);
}

void finishCompiledRegions() {
    setBlockCompiler(nullptr);
    Cache& c = cache();
    std::unique_lock lock(c.mutex);
    c.allDone.wait(lock, [&] { return c.pending == 0; });
}

int64_t compiledRegionCount() {
    std::lock_guard lock(cache().mutex);
    return cache().compiled;
}

}  // namespace pelorus

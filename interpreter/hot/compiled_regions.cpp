#include "interpreter/hot/compiled_regions.h"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <unordered_map>

#include "interpreter/hot/code_generator.h"
#include "runtime/kernel/block_compiler.h"

namespace pelorus {

namespace {

// Rows after which compiling pays: loading the code generator and compiling take some 40 ms of a core, which the first
// query of a process wants for decoding; compiled code saves 2 to 7 ns a row.
constexpr int64_t kHotRows = 12'000'000;

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
    int64_t compiled = 0;
};

Cache& cache() {
    static Cache* instance = new Cache;
    return *instance;
}

void compileRegion(const std::string& key, const BlockProgram& program) {
    static const auto compile = reinterpret_cast<CompileFunction>(generatorFunction("pelorusCompileRegion"));
    CompiledBlock code = compile ? compile(&program) : nullptr;
    Cache& c = cache();
    std::lock_guard lock(c.mutex);
    c.regions[key].code = code;
    if (code) ++c.compiled;
}

CompiledBlock codeFor(const BlockProgram& program, int64_t count) {
    Cache& c = cache();
    std::string key = regionKey(program);
    if (key.empty()) return nullptr;
    const JitMode mode = jitMode();
    {
        std::lock_guard lock(c.mutex);
        Region& region = c.regions[key];
        if (region.code) return region.code;
        region.rows += count;
        if (region.asked || (mode == JitMode::Hot && region.rows < kHotRows)) return nullptr;
        region.asked = true;
    }
    if (mode == JitMode::Hot) {
        auto copy = std::make_shared<BlockProgram>(program);
        compileInBackground([key, copy] { compileRegion(key, *copy); });
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

void enableCompiledRegions() {
    setBlockCompiler(jitMode() == JitMode::Off ? nullptr : codeFor);
}

int64_t compiledRegionCount() {
    std::lock_guard lock(cache().mutex);
    return cache().compiled;
}

}  // namespace pelorus

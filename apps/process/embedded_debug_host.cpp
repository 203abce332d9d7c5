#include "apps/process/embedded_debug_host.h"

#include "common/io/user_files.h"
#include "devtools/lsp/feature.h"
#include "interpreter/session/session.h"
#include "runtime/function/principal.h"

namespace pelorus {

namespace {

class EmbeddedDebugHost final : public DebugHost {
public:
    explicit EmbeddedDebugHost(const Services& services) : services_(services), session_(services) {}

    std::string open(const Json& launch) override {
        return findMember(launch, "script") ? stringMember(launch, "script")
                                            : readWholeFile(UserFiles::machine(), stringMember(launch, "program"));
    }
    std::vector<DebuggedSource> modules(std::string_view script) override { return debuggedSources(script, services_); }
    bool sharesFiles() const override { return true; }
    void run(std::string_view script, DebugSession& debugger,
             const std::function<void(std::string_view)>& print) override {
        Request request(Principal::owner());
        request.print = print;
        Context context(services_, request);
        debugger.run(script, session_, context);
    }

private:
    const Services& services_;
    Session session_;
};

}  // namespace

std::unique_ptr<DebugHost> embeddedDebugHost(const Services& services) {
    return std::make_unique<EmbeddedDebugHost>(services);
}

}  // namespace pelorus

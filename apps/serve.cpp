// pelorus serve: a node for clients and, in a cluster, for other nodes.
#include <chrono>

#include "apps/commands.h"
#include "apps/node/end_signals.h"
#include "apps/node/serving_node.h"
#include "apps/process/node_settings.h"
#include "apps/process/stop_deadline.h"

namespace pelorus {

// A node that was told to stop is gone within five seconds, whatever its requests do.
static constexpr auto kStopTimeout = std::chrono::milliseconds(4700);

int serveCommand(const CommandArguments& arguments) {
    const EndSignals signals;
    ServingNode node(signals, parseNodeSettings(arguments));
    const int signal = signals.wait();
    // The deadline is never deleted: the end of the node may take long, and so may the end of the process, where
    // libraries stop their threads; OpenBLAS has waited for one without end.
    [[maybe_unused]] static const auto* deadline = new StopDeadline(kStopTimeout, StopDeadline::endProcess);
    node.stop(signal);
    return 0;
}

}  // namespace pelorus

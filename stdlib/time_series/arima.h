// Registration of arima, beside the other models of time series.
#pragma once

namespace pelorus {

class FunctionRegistry;

void registerArima(FunctionRegistry& registry);

}  // namespace pelorus

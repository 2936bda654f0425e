// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/messages.hpp>

#include <new>

namespace rhizome::bench {

using json = nlohmann::ordered_json;

json to_json(cell const& which) {
    json values = json::object();
    for (auto const& [choice, value] : which.values)
        values[choice] = value;
    return {{"benchmark", which.benchmark}, {"values", values}};
}

cell cell_of(json const& document) {
    cell which{document.at("benchmark").get<std::string>(), {}};
    for (auto const& [choice, value] : document.at("values").items())
        which.values.emplace_back(choice, value.get<std::string>());
    return which;
}

json to_json(cell_result const& result) {
    json measures = json::array();
    for (measure const& each : result.measures)
        measures.push_back({{"name", each.name},
                            {"unit", each.unit},
                            {"more_is_better", each.more_is_better},
                            {"samples", each.samples},
                            {"is_curve", each.is_curve}});
    return {{"status", name_of(result.status)}, {"message", result.message}, {"measures", measures}};
}

cell_result result_of(json const& document) {
    cell_result result;
    result.status = status_of(document.at("status").get<std::string>());
    result.message = document.at("message").get<std::string>();
    for (json const& each : document.at("measures"))
        result.measures.push_back({each.at("name").get<std::string>(), each.at("unit").get<std::string>(),
                                   each.at("more_is_better").get<bool>(),
                                   each.at("samples").get<std::vector<double>>(),
                                   each.at("is_curve").get<bool>()});
    return result;
}

json to_json(space_description const& space) {
    return {{"name", space.name},      {"usable", space.usable}, {"reason", space.reason},
            {"device", space.device},  {"driver", space.driver}, {"memory_bytes", space.memory_bytes},
            {"runtime", space.runtime}};
}

space_description space_of(json const& document) {
    space_description space;
    space.name = document.at("name").get<std::string>();
    space.usable = document.at("usable").get<bool>();
    space.reason = document.at("reason").get<std::string>();
    space.device = document.at("device").get<std::string>();
    space.memory_bytes = document.at("memory_bytes").get<std::uint64_t>();
    space.driver = document.at("driver").get<std::string>();
    space.runtime = document.at("runtime").get<std::string>();
    return space;
}

std::string request_for(cell const& which) { return json{{"cell", to_json(which)}}.dump(); }
std::string request_for_spaces() { return json{{"spaces", true}}.dump(); }

std::string answer_request(std::string const& request) {
    json const document = json::parse(request);
    if (document.contains("spaces")) {
        json spaces = json::array();
        for (space_description const& each : describe_spaces())
            spaces.push_back(to_json(each));
        return spaces.dump();
    }
    cell const which = cell_of(document.at("cell"));
    cell_result result;
    try {
        result = find_benchmark(which.benchmark).run(which);
    } catch (std::bad_alloc const&) {
        result = {cell_status::failed, "out of memory on the host", {}};
    } catch (std::exception const& error) {
        result = {cell_status::failed, error.what(), {}};
    }
    // A message may hold bytes of anybody's: what is no UTF-8 is replaced.
    return to_json(result).dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace rhizome::bench

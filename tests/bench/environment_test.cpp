// SPDX-License-Identifier: Apache-2.0
// What is recorded of a machine: what the system tells, and nothing else.
#include "../io/scratch_folder.hpp"

#include <rhizome/bench/harness/environment.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

using namespace rhizome::bench;
using nlohmann::json;

TEST(processor, is_told_as_the_system_tells_it) {
    rhizome::testing::scratch_folder const folder;
    EXPECT_FALSE(frequency_scales(folder.path("nowhere")).has_value());
    EXPECT_TRUE(caches(folder.path("nowhere")).empty());
    auto const put = [&](std::string const& name, std::string const& text) {
        std::filesystem::create_directories(std::filesystem::path(folder.path(name)).parent_path());
        (void)folder.write(name, text);
    };
    put("cpu0/cache/index0/type", "Data\n");
    put("cpu0/cache/index0/level", "1\n");
    put("cpu0/cache/index0/size", "48K\n");
    put("cpu0/cache/index0/shared_cpu_map", "00000001,00000001\n");
    put("cpu0/cache/index3/type", "Unified\n");
    put("cpu0/cache/index3/level", "3\n");
    put("cpu0/cache/index3/size", "105M\n");
    put("cpu0/cache/index3/shared_cpu_map", "ffff\n");
    EXPECT_EQ(caches(folder.path(".")),
              (std::vector<processor_cache>{{"Data", 1, 48 << 10, 2}, {"Unified", 3, 105 << 20, 16}}));
    EXPECT_FALSE(frequency_scales(folder.path(".")).has_value());
    put("cpu0/cpufreq/scaling_governor", "performance\n");
    EXPECT_EQ(frequency_scales(folder.path(".")), false);
    put("cpu1/cpufreq/scaling_governor", "powersave\n");
    EXPECT_EQ(frequency_scales(folder.path(".")), true);
}

TEST(environment, leaves_out_what_the_system_does_not_tell) {
    environment where = record_environment("", {});
    where.frequency_scales.reset();
    where.caches.clear();
    where.mhz_per_cpu = 0;
    for (char const* key : {"cpu_scaling_enabled", "caches", "mhz_per_cpu"})
        EXPECT_FALSE(to_json(where).contains(key)) << key;
    where.frequency_scales = true;
    where.caches = {{"Data", 1, 32 << 10, 2}};
    where.mhz_per_cpu = 2000;
    json const context = to_json(where);
    EXPECT_EQ(context["cpu_scaling_enabled"], true);
    EXPECT_EQ(context["mhz_per_cpu"], 2000);
    EXPECT_EQ(context["caches"],
              json::parse(R"([{"type": "Data", "level": 1, "size": 32768, "num_sharing": 2}])"));
}

/* See model.h. */
#include "arch/aarch64/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Processors of machines that run MPI programs, by the numbers that they give of themselves. */
static const struct {
    unsigned implementer, part;
    const char *name;
} models[] = {
    {0x41, 0xd03, "Arm Cortex-A53"},
    {0x41, 0xd07, "Arm Cortex-A57"},
    {0x41, 0xd08, "Arm Cortex-A72"},
    {0x41, 0xd0c, "Arm Neoverse N1"},
    {0x41, 0xd40, "Arm Neoverse V1"},
    {0x41, 0xd49, "Arm Neoverse N2"},
    {0x41, 0xd4f, "Arm Neoverse V2"},
    {0x41, 0xd84, "Arm Neoverse V3"},
    {0x41, 0xd8e, "Arm Neoverse N3"},
    {0x42, 0x516, "Cavium ThunderX2"},
    {0x43, 0x0af, "Cavium ThunderX2"},
    {0x46, 0x001, "Fujitsu A64FX"},
    {0x48, 0xd01, "HiSilicon Kunpeng 920"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},
};

/* The number in the first line that begins with NAME; 0 if there is none. */
static unsigned number_of(const char *cpuinfo, const char *name)
{
    const char *found = strstr(cpuinfo, name);
    found = found ? strstr(found, ": ") : NULL;
    return found ? (unsigned)strtoul(found + 2, NULL, 0) : 0;
}

void arch_model(const char *cpuinfo, char *text, size_t size)
{
    const unsigned implementer = number_of(cpuinfo, "CPU implementer"),
                   part = number_of(cpuinfo, "CPU part");
    snprintf(text, size, "%s", "");
    if (!implementer)
        return;
    snprintf(text, size, "Arm implementer 0x%02x part 0x%03x", implementer, part);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (models[i].implementer == implementer && models[i].part == part)
            snprintf(text, size, "%s", models[i].name);
}

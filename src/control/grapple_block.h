/* A sampled block of Grapple in a shared library: the interface, in C99, version 1.
 *
 * The library exports three functions. grapple_block_describe says what the block is; the scenario
 * must name every input, output and parameter of it. At t = 0 grapple_block_start sets the states;
 * at each sample grapple_block_update reads inputs and states and sets outputs and states. Both
 * return 0; anything else ends the run as failed, with the text the block wrote to `message`.
 *
 * What a block remembers belongs into `states`: they are recorded, saved in checkpoints and
 * restored. A block must depend on nothing else, so that a run taken up again repeats it. Several
 * blocks of one scenario may use one library. All numbers are SI.
 */
#ifndef GRAPPLE_BLOCK_H
#define GRAPPLE_BLOCK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GRAPPLE_BLOCK_ABI_VERSION 1

#if defined(__GNUC__)
#define GRAPPLE_BLOCK_EXPORT __attribute__((visibility("default")))
#else
#define GRAPPLE_BLOCK_EXPORT
#endif

/* Names stay where they are as long as the library is loaded. A count of 0 needs no names. */
typedef struct grapple_block_description {
  int abi_version; /* GRAPPLE_BLOCK_ABI_VERSION */
  int inputs, outputs, states, parameters;
  const char* const* input_names;
  const char* const* output_names;
  const char* const* state_names;
  const char* const* parameter_names;
} grapple_block_description;

/* One call; arrays in the order of the names above. */
typedef struct grapple_block_sample {
  double t;      /* s */
  double period; /* s, between samples */
  const double* parameters;
  const double* inputs; /* NULL in grapple_block_start */
  double* outputs;      /* begin as what was written last; NULL in grapple_block_start */
  double* states;       /* begin as 0 in grapple_block_start */
  char* message;        /* for a fault, ended by 0 */
  size_t message_size;
} grapple_block_sample;

GRAPPLE_BLOCK_EXPORT const grapple_block_description* grapple_block_describe(void);
GRAPPLE_BLOCK_EXPORT int grapple_block_start(const grapple_block_sample* sample);
GRAPPLE_BLOCK_EXPORT int grapple_block_update(const grapple_block_sample* sample);

#ifdef __cplusplus
}
#endif

#endif

/* A lead compensator as a plug-in of Grapple:
 *   u = gain (s + zero) / (s + pole) (set_point - q),
 * made discrete by the trapezoidal rule (Tustin). In this directory:
 *   cc -std=c99 -O2 -shared -fPIC -I ../../../include -o lead.so lead.c
 *   grapple run --allow-plugins lead.yaml
 */
#include <grapple/control/grapple_block.h>
#include <stdio.h>

enum { kSetPoint, kGain, kZero, kPole };

const grapple_block_description* grapple_block_describe(void) {
  static const char* const inputs[] = {"q"};
  static const char* const outputs[] = {"u"};
  static const char* const states[] = {"w"};
  static const char* const parameters[] = {"set_point", "gain", "zero", "pole"};
  static const grapple_block_description description = {
      GRAPPLE_BLOCK_ABI_VERSION, 1, 1, 1, 4, inputs, outputs, states, parameters};
  return &description;
}

int grapple_block_start(const grapple_block_sample* s) {
  if (s->parameters[kPole] > 0.0) {
    s->states[0] = 0.0;
    return 0;
  }
  snprintf(s->message, s->message_size, "the pole must be positive, found %g 1/s",
           s->parameters[kPole]);
  return 1;
}

int grapple_block_update(const grapple_block_sample* s) {
  const double* p = s->parameters;
  const double below = p[kPole] * s->period + 2.0;
  const double e = p[kSetPoint] - s->inputs[0];
  const double y = (p[kZero] * s->period + 2.0) / below * e + s->states[0];
  s->states[0] =
      (p[kZero] * s->period - 2.0) / below * e - (p[kPole] * s->period - 2.0) / below * y;
  s->outputs[0] = p[kGain] * y;
  return 0;
}

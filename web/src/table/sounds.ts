// Small sounds, made here: a piece set down, one's turn, a no, the end. Off unless chosen.

import { settings } from "../settings";

type Sound = "place" | "turn" | "no" | "end" | "strike";
let context: AudioContext | null = null;

const NOTES: Record<Sound, readonly (readonly [hertz: number, after: number, long: number, loud: number])[]> = {
  place: [[190, 0, 0.07, 0.22], [95, 0, 0.09, 0.2]],
  turn: [[587, 0, 0.35, 0.07], [880, 0.12, 0.5, 0.06]],
  strike: [[420, 0, 0.04, 0.16], [900, 0, 0.02, 0.08]],
  no: [[150, 0, 0.12, 0.1]],
  end: [[523, 0, 0.6, 0.07], [659, 0.14, 0.6, 0.06], [784, 0.28, 0.9, 0.06]],
};

export function play(sound: Sound, share = 1): void {
  if (!settings().sound || document.visibilityState === "hidden") return;
  try {
    context ??= new AudioContext();
    void context.resume();
    const now = context.currentTime;
    for (const [hertz, after, long, loud] of NOTES[sound]) {
      const tone = context.createOscillator();
      const volume = context.createGain();
      tone.type = "sine";
      tone.frequency.value = hertz;
      volume.gain.setValueAtTime(0, now + after);
      volume.gain.linearRampToValueAtTime(loud * share, now + after + 0.01);
      volume.gain.exponentialRampToValueAtTime(0.0001, now + after + long);
      tone.connect(volume).connect(context.destination);
      tone.start(now + after);
      tone.stop(now + after + long);
    }
  } catch {
    // no sound here
  }
}

/** Made-up questions and answers for development. */
export interface MadeUpQuestion {
  readonly prompt: string;
  readonly gold: string;
  readonly answer: string;
}

const rows: readonly (readonly [prompt: string, gold: string, answer: string])[] = [
  [
    "What is the largest organ of the human body?",
    "the skin",
    "The largest organ of the human body is the skin. It protects the body from infection and helps to control its temperature.",
  ],
  [
    "Which planet is closest to the sun?",
    "Mercury",
    "The planet closest to the sun is Mercury. A year there lasts 88 days.",
  ],
  ["How many sides does a hexagon have?", "six", "A hexagon has six sides."],
  [
    "What gas do plants take in from the air?",
    "carbon dioxide",
    "Plants take in carbon dioxide and give off oxygen.",
  ],
  [
    "Who wrote the play Hamlet?",
    "Shakespeare",
    "The play Hamlet was written by William Shakespeare around the year 1600.",
  ],
  [
    "In which ocean does Madagascar lie?",
    "the Indian Ocean",
    "Madagascar lies in the Indian Ocean, off the coast of East Africa.",
  ],
  [
    "Which metal is liquid at room temperature?",
    "mercury",
    "Mercury is the metal that is liquid at room temperature.",
  ],
  ["What is the square root of 144?", "12", "The square root of 144 is 12."],
  ["How many strings does a violin have?", "four", "A violin has four strings, tuned in fifths."],
  [
    "What do bees collect from flowers?",
    "nectar",
    "Bees collect nectar and pollen from flowers and make honey of it.",
  ],
  ["Which country has Canberra as its capital?", "Australia", "Canberra is the capital of Australia."],
  ["What is the chemical symbol for iron?", "Fe", "The chemical symbol for iron is Fe."],
  ["How many days are there in a leap year?", "366", "A leap year has 366 days, one more than other years."],
  [
    "Which bird cannot fly but swims very well?",
    "the penguin",
    "The penguin cannot fly but swims very well.",
  ],
  ["What is the opposite of the word scarce?", "plentiful", "The opposite of scarce is plentiful."],
  ["Which instrument measures air pressure?", "a barometer", "A barometer measures the pressure of the air."],
  [
    "What is the longest bone in the human leg?",
    "the femur",
    "The longest bone in the human leg is the femur, also called the thigh bone.",
  ],
  ["How many minutes are there in three hours?", "180", "There are 180 minutes in three hours."],
  ["Which language is spoken in Brazil?", "Portuguese", "The language spoken in Brazil is Portuguese."],
  ["What is a baby kangaroo called?", "a joey", "A baby kangaroo is called a joey."],
  ["Which river flows through Cairo?", "the Nile", "The river Nile flows through Cairo."],
  ["What colour do you get by mixing blue and yellow?", "green", "Mixing blue and yellow gives green."],
  ["How many legs does a spider have?", "eight", "A spider has eight legs."],
  [
    "Which vitamin does sunlight help the body to make?",
    "vitamin D",
    "Sunlight helps the body to make vitamin D, which the bones need.",
  ],
  [
    "What is the main ingredient of bread?",
    "flour",
    "The main ingredient of bread is flour, mixed with water, salt and yeast.",
  ],
  ["Who painted the Mona Lisa?", "Leonardo da Vinci", "The Mona Lisa was painted by Leonardo da Vinci."],
  [
    "Which is heavier, a kilogram of feathers or a pound of iron?",
    "a kilogram of feathers",
    "A kilogram of feathers is heavier, since a pound is less than half a kilogram.",
  ],
  ["What is the hardest natural mineral?", "diamond", "The hardest natural mineral is diamond."],
  ["In which direction does the sun rise?", "the east", "The sun rises in the east."],
  [
    "How many players of one team are on a football pitch?",
    "eleven",
    "Eleven players of one team are on the pitch.",
  ],
  ["What is the plural of the word mouse?", "mice", "The plural of mouse is mice."],
  ["What is the freezing point of water in degrees Celsius?", "0", "Water freezes at 0 degrees Celsius."],
];
export const questions: readonly MadeUpQuestion[] = rows.map(([prompt, gold, answer]) => ({
  prompt,
  gold,
  answer,
}));

export interface MadeUpWording {
  readonly id: string;
  readonly family: string;
  readonly label: string;
  readonly reword: (prompt: string) => string;
  readonly answer: (answer: string) => string;
}

const lower = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1);

export const wordings: readonly MadeUpWording[] = [
  {
    id: "paraphrase-1",
    family: "paraphrase",
    label: "in other words",
    reword: (p) => `I would like to know this: ${lower(p)}`,
    answer: (a) => a.replace("The ", "Well, the ").replace(" is ", " would be "),
  },
  {
    id: "paraphrase-2",
    family: "paraphrase",
    label: "as a command",
    reword: (p) => `Tell me ${lower(p).replace("?", ".")}`,
    answer: (a) => `${a.split(". ")[0]?.replace(/\.$/, "") ?? a}. That is what I know.`,
  },
  {
    id: "paraphrase-3",
    family: "paraphrase",
    label: "turned around",
    reword: (p) => `Here is a question for you, and I need the answer. ${p}`,
    answer: () => "I am not sure what you mean. Could you tell me more about the question?",
  },
  {
    id: "style-very-polite",
    family: "style",
    label: "very polite",
    reword: (p) => `Would you be so kind as to tell me: ${lower(p)} Thank you very much!`,
    answer: (a) => `Of course! ${a} Thank you for asking!`,
  },
  {
    id: "style-capitals",
    family: "style",
    label: "all in capitals",
    reword: (p) => p.toUpperCase(),
    answer: (a) =>
      a
        .split(". ")
        .map((s, i) => (i === 0 ? s.toUpperCase() : s))
        .join(". "),
  },
  {
    id: "format-form",
    family: "format",
    label: "form to fill in",
    reword: (p) => `Question: ${p}\nAnswer:`,
    answer: (a) => a.split(" ").slice(-2).join(" "),
  },
  {
    id: "format-extra-spaces",
    family: "format",
    label: "extra spaces",
    reword: (p) => p.replaceAll(" ", "   "),
    answer: (a) => a.replace(/\b(skin|Mercury|four|nectar|green)\b/, "heart").replace("helps", "serves"),
  },
];

export const nullEdits = [
  { id: "null-trailing-space", label: "space at the end", edit: (p: string) => `${p} ` },
  { id: "null-trailing-newline", label: "line break at the end", edit: (p: string) => `${p}\n` },
  { id: "null-leading-newline", label: "blank line in front", edit: (p: string) => `\n\n${p}` },
] as const;

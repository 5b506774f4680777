/**
 * Closed word lists of English for the style features. Own selections of function words; lower case, straight
 * apostrophes. Other languages score 0 on these features for prompts and answers alike, which leaves the
 * language-independent features (capitals, punctuation, spaces, length, marks).
 */
const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

export const PERSONAL_PRONOUNS = words(
  "i me my mine myself you your yours yourself yourselves he him his himself she her hers herself we us our ours " +
    "ourselves they them their theirs themselves i'm i've i'll i'd you're you've you'll you'd he's she's we're we've " +
    "we'll we'd they're they've they'll they'd",
);
export const IMPERSONAL_PRONOUNS = words(
  "it its itself it's this that these those which what who whom whose anything everything something nothing " +
    "anyone everyone someone anybody everybody somebody nobody one other others another that's what's",
);
export const ARTICLES = words("a an the");
export const AUXILIARIES = words(
  "am is are was were be been being have has had having do does did will would shall should can could may might " +
    "must ought isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't shouldn't " +
    "can't cannot couldn't mustn't",
);
export const ADVERBS = words(
  "very really just also then now here there again always never often sometimes still already soon too so quite " +
    "rather almost only even ever perhaps maybe usually actually however therefore instead well",
);
export const PREPOSITIONS = words(
  "about above across after against along among around as at before behind below beneath beside between beyond by " +
    "down during except for from in inside into like near of off on onto out outside over past through to toward " +
    "towards under until up upon with within without",
);
export const CONJUNCTIONS = words(
  "and but or nor yet because although though while whereas if unless since whether either neither both when",
);
export const NEGATIONS = words(
  "no not never none nothing nobody nowhere neither nor isn't aren't wasn't weren't haven't hasn't hadn't don't " +
    "doesn't didn't won't wouldn't shouldn't can't cannot couldn't mustn't",
);
export const QUANTIFIERS = words(
  "all any both each every few fewer less lot lots many more most much several some enough little half plenty",
);

/** Words of politeness; phrases are matched by their telling word. */
export const POLITE_WORDS = words(
  "please kindly thank thanks sorry pardon excuse appreciate appreciated grateful gratefully welcome glad happy " +
    "pleasure sir madam dear kind sincerely respectfully certainly gladly",
);

/** Verbs that open a request; a sentence that begins with one of them reads as an imperative. */
export const OPENING_VERBS = words(
  "add analyse analyze answer arrange ask assess calculate check choose classify combine compare complete compose " +
    "compute consider convert correct count create decide define describe design determine discuss do draft draw " +
    "edit estimate evaluate explain express extract fill find finish fix follow generate get give go guess help " +
    "identify illustrate imagine include judge keep let list look make mention name note offer outline pick plan " +
    "point predict prepare propose prove provide put rate read recall recommend remember rephrase reply report " +
    "respond review rewrite say select share show sketch solve sort specify spell start state suggest summarise " +
    "summarize take teach tell think translate try turn use verify write",
);

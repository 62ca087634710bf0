extension CommonPasswords {
  /// The passwords of 6 and 7 characters, lower-case, in alphabetical order.
  static let short: StaticString = #"""
    !@#$%^ !@#$%^& 0.0.000 000000 000007 007007 010203 012345 0123456 098765 100000 101010 102030 102938 10sne1 111111
    111222 112233 112358 121212 121314 123098 123123 123123a 123321 123321q 1234321 123456 1234567 123456a 123456k
    123456q 123456z 123457 12345a 12345q 1234qwe 123654 123789 123987 123abc 123asd 123qaz 123qwe 123zxc 124578 128500
    131313 132435 134679 135790 1366613 141414 141627 142536 147258 147852 1478963 150781 151515 159357 159753 159951
    171717 181818 1a2b3c 1chris 1kitty 1q2w3e 1qw23e 202020 212121 222222 222333 223344 232323 242424 246810 252525
    258456 314159 315475 321123 321654 333333 362436 3bears 420420 444444 445566 456123 456654 456789 456852 4runner
    50cent 5201314 555555 555666 57chevy 654321 666666 666777 666999 6751520 696969 741852 753159 753951 777777
    7777777 789123 789456 7895123 789654 7dwarfs 852456 8675309 888888 906090 911911 9379992 951753 963852 987456
    987654 999999 @#$%^& a12345 a123456 a1b2c3 aaa111 aaaaaa aaliyah abacab abbott abc123 abcd123 abcdef abcdefg
    abgrtyu abigail absolut access accord account action active adidas admin1 adrian adriana adrock aezakmi africa
    aggies aikido airbus airwolf aki123 alabama alaska albert alberto albion alexis alfaro alfred alfredo alice1
    alicia aliens alison allegro allison alpha1 alpine althea altima altima1 alyssa amadeus amanda amanda1 amateur
    amazing amazon amber1 amelia amelie america amigas amigos amistad amores anakin analsex anarchy anders andre1
    andrea andrea1 andreea andrei andres andrew andrew! andrew1 andrey anfield angel1 angela angeles angelo angels
    angie1 animal animals anneli annette antares anthony antonio anubis apache apollo apple1 apple2 apples aptiva
    aragorn archie area51 ariana ariane arizona arlene armando armani arnold arsenal artemis arthur artist arturo
    asd123 asdasd asdf123 asdfgh asdfghj asdfjkl asdzxc ashlee ashley ashley1 ashraf ashton aspire assfuck asshole
    assman asterix astros athena atlanta atomic attila auburn august aussie austin autumn avalon avatar avenger avenir
    awesome ayelet aylmer azamat azerty azsxdc babyboo babyboy babyko babylon backup badass badboy baddog badger
    badgirl baggins bailey baller balloon bambam bamboo banana bananas bandit bangkok banshee baraka barbara barbie
    barkley barney barney1 barrett barsik bartman basket bassman bastard batista batman batman1 beaches beagle beaner
    beanie beasty beatles beatriz beauty beaver beavis beavis1 bebita beckham beetle belgium belize belmont benfica
    benoit benson beowulf berlin bernard bernie bertha betacam beyonce bharat bhebhe bianca bichon bicycle bigben
    bigbird bigboss bigboy bigcock bigdick bigdog bigfoot biggie biggles bigguy bigmac bigman bigone bigred bigsexy
    bigtime bigtits bikini billy1 bimmer biochem biology bird33 birdie birdman biscuit bishop bitch1 bitches biteme
    bitter bizkit blabla black1 blackie blacks blacky blades blanche blaster blazer blessed blinds blonde blondes
    blondie blowjob blowme blue123 blue22 bluesky bobby1 bobcat boeing bogart bogdan bohica bollox bombay bomber
    bond007 bondage bonita bonjour bonnie bonsai boobie boobies booboo booger boogie boomer booster bootie bootsie
    bossman boston boulder bourbon bowler bowling bowwow boxers boxing br0d3r bradley branch brandi brando brandon
    brandy brasil braves brazil breast breeze brenda brianna bridge bridges bright britain britney broken broker
    bronco broncos bronte brooke brother brownie browns bruins brutus bubba1 bubbas bubble bubbles buckeye buddha
    buddy1 budgie budman buffalo buffett bugger bulldog bullet burger burton buster buster1 butler butter button
    buttons byteme c00per cabbage cactus caesar caitlin calgary calico calvin calvin1 camaro camelot camels camera
    cameron camila camille camping canada cancer cancun candle canela cannon cantik cantona capone captain carbon
    carlos carmen carnage carol1 carole carolyn carpet carrie carrot carter cartman cartoon cascade caserta casey1
    casino casper cassie castle catalog catch22 catdog catfish catman catnip ccbill cccccc cecile cecilia celeste
    celica celine celtic celtics cement center cessna chacha champs chance chanel change chantal chapman charger
    charity charles charli charlie charly charmed chaser cheche cheers cheese cheetah chelsea cherry cheryl chester
    chevy1 chewie chiara chicago chichi chicken chicks chiefs chinook chipper chivas chopper chris1 chrissy christ
    christ1 christy chronic chronos chubby chucky church cicero cinder cindy1 cinema circuit cirque cirrus cjkywt
    claire clancy clapton classic claude claudel claudia clemson clipper cloclo cloud9 clover cobain coconut coffee
    colette colleen college colors colt45 compaq compton concept condom condor connect connie connor conrad content
    control cookie cookie1 cookies cooking cooler coolio coolman cooper cooter copper corazon corona corrado corwin
    cosmos cougar cougars country courier cowboy cowboys coyote crack1 cracker crazy1 creamy cricket crimson crowley
    cruise crunch crystal cthulhu cthutq cuddles cuervo cumming cumshot cupcake curious current curtis cuteako cuteme
    cutlass cutter cxfcnmt cyclone cynthia cyrano daddy1 dagger dagger1 daisie daisy1 dakota dallas damian dammit
    damnit dancer dancing danger daniel daniel1 daniela daniil danila daphne darkman darling darren darryl darwin
    david1 davids daytek daytona deadman debbie deborah decker deedee defiant delano delete delfin deliver delta1
    denali denise deniska dennis depeche desert design desire desiree deskjet destiny detroit deutsch devils devine
    dexter dfkthbz dfvgbh dharma diablo diamond dianne dickens diesel digger digital dilbert dinamo dipper disney
    doctor dodger dodgers dogbert doggie dogman doitnow dollar dollars dolphin dominic domino donald donkey doobie
    doodle doogie dookie dorothy doudou dougie douglas dracula dragon dragon1 dragons dragoon dreamer dreams driver
    drizzt drummer dublin ducati duchess duckie dudley dumbass dundee durango dustin dwight e-mail eagle1 eagles
    easter eastern eatshit eclipse edmund eduard eduardo edward eeyore elaine element elijah elina1 elissa elliot
    elvis1 emerald emily1 eminem emmitt empire energy engage england enigma enrique entropy ernie1 erotic escort
    escort1 estelle esther etoile eugene europe evelyn everest everton exigen exigent exodus explore export express
    extreme faculty falcon falcons fallen familia family family1 fantasy farmer farout farside fashion faster fatass
    fatboy fatcat fatima fatman felipe fender fenris fernand ferrari ferret ferris fetish ficken fiction fiesta figaro
    fighter filter finance finger firefly firefox fireman firenze fisher fishes fishie fishing fitness fktrctq flames
    flatron fletch fleurs flight flipper flores florida flower flowers fluffy flyboy flyers foobar forest forever
    formula fortuna fortune forward fossil foster foxtrot fozzie france francis frank1 franka frankie franky freak1
    freaks freaky freddie freddy freedom freeman french french1 friday friend friends fright frisco frogger froggie
    froggy frosty fucked fucker fuckers fucking fuckit fuckme fuckoff fuckyou fugazi funguy funtime fusion future
    fylhtq gabrie gabriel gaelic galaxy galileo galina galore gambit gambler gandako gandalf gangsta garcia garden
    garlic garnet gasman gaston gateway gatita gatito gator1 gators gbpltw geheim gemini general genesis genius george
    george1 georgia gerald gerard german germany getout getsome gfhjkm ggeorge ghbdtn ghjcnj giants gibbons gibson
    gilbert gilles ginger giorgi giselle gizmo1 gizmodo gjkbyf glider1 glitter global gloria gmoney goaway goblin
    goblue gocougs goddess godiva goethe gofish goforit golden golfer golfing goliath gollum goober google gopher
    gordon gorilla gotcha gothic govols gracie graham gramps grandma granny graphic gravis green1 greens gregory
    gremlin grendel gretel gretzky griffey gringo grizzly groovy grover grumpy guitar guitar1 gundam gunner gustav
    gustavo h2opolo hacker haggis hahaha hailey hal9000 hamburg hamlet hammer hammers hamster hannah hannah1 hansolo
    hanson happy1 hardon harley harley1 harold harriet harris harvard harvey hawaii hawkeye hayden health health1
    hearts heather heaven hector heikki helena helene hello1 hello8 help123 helper helpme hendrix hentai herbert
    herbie herman hermes hermosa hershey herzog hesoyam hidden hilbert hillary hiphop history hithere hitler hitman
    hjvfirf hobbes hobbit hockey holiday homer1 homerj homers homerun honda1 honeyko hooker hoosier hooter hooters
    hootie horizon horndog hornet horney horny1 horses hotboy hotdog hotmail hotrod hotsex hottie hottie1 houston
    howard hudson hummer hunter hunter1 hunting husker huskers huskies hustler ib6ub9 ibanez iceman if6was9 iforget
    iforgot iguana illini ilmari iloveme iloveu iloveu2 iloveyo imagine impact impala incubus indian indiana indians
    indigo inferno ingvar inlove insane inside insight integra intern iomega ireland irish1 irmeli ironman isabel
    isaiah island israel italia iubire ivanov iverson iwantu j1l2t3 jackal jackass jackie jackie1 jackoff jackson
    jaguar jamaica james1 jamjam jammer janice janine january jarhead jasmin jasmine jason1 jasper javier jayden
    jayjay jayson jazmin jazzman jeanne jeffrey jenifer jennie jenny1 jensen jeremy jericho jerkoff jerome jersey
    jesse1 jessica jessie jester jesus1 jethro jetta1 jewels jimbob jimmy1 jkl123 joanie joanna joanne joelle john316
    johnny johnson joker1 jordan jordan1 jordie joseph joshua joshua1 journey jrcfyf jubilee judith juhani julia2
    julian juliana julie1 julien juliet julius jumanji jumper junebug jungle junior juniper jupiter justice justin
    justin1 justine justme kaktus kansas karate karen1 karina karine kasper katana katie1 katrin katrina keeper
    keepout keith1 keller kelly1 kelsey kendall kennedy kenneth kenshin kenwood kerala kermit kerrya ketchup kevin1
    keywest kicker kidder killer killer1 killme kingdom kingpin kirill kissa2 kisses kissme kitkat kitten kitty1
    kkkkkk klaster kleenex knicks knight knights knopka kodiak kolobok kombat koshka kotenok kramer krishna kristen
    kristi kristin labtec laddie ladybug laguna lakers lalala lambda lancer lansing laptop larisa larry1 lassie1
    latino laurel lauren laurie lawson lawyer leader leanne leather leblanc ledzep legacy legend legion legolas leland
    lennon leonard leopard lesbian leslie lespaul lestat lester letmein letsgo letter letters lexmark lexus1 liberty
    library licker lickit lickme lights liliana lilmama lincoln lindsay lindsey lionel liquid little lizard lizzie
    lobster logger logical lokita lol123 lolipop lolita lollol london lonely longer looker looking looney lorena
    lorrie louise love12 love123 lovebug loveit lovely lovely1 loveme loveme1 lover1 lovers loveya loveyou loving
    lucifer lucky1 lucky13 lucky14 lucky7 lupita lvbnhbq m1911a1 machine macross maddie maddog madison madman madmax
    madness madoka madonna maestro maganda maggie magic1 magnum magnus mahalko maiden mailer mailman maksim malaka
    malcolm maldita malibu mallard mamita maniac manson mantra manuel manutd marcel marcos marcus maria1 mariah
    mariah1 marian mariana marie1 marilyn marina marine mariner marines marino marisol marissa market marley marlon
    martha martin martin1 martini marvin massive master master1 matrix matthew matti1 mature maurice maxell maxima
    maxime maximus maxine maxmax maxwell mayday mayhem mazda1 medical megaman meggie meister melanie melina melissa
    mellon melody melvin mememe memorex memory memphis mensuck mercer mercury merlin merlot mermaid merrill mexico
    miamor michael michal micheal michel michel1 michele michou mickel mickey mickey1 midget midori midvale midway
    mierda mighty miguel mikael milana milano milena miller millie million minnie miracle mirage miranda miriam mirror
    mishka mission mister mmmmmm mmouse mnbvcxz mobile molly1 moloko molson mommy1 momoney monday money1 moneys monica
    monique monitor monkey monkey1 monkeys monroe monster montana moocow mookie moomoo morgan moroni morris moscow
    mother mouse1 movies mowgli mozart muffin mulder mulder1 muppet murphy murray muscle music1 musica mustang mybaby
    mylife mylove mypass myself myspace mystic nadine napass naruto nascar nastya natali natalia natalie natasha
    nathan nation naughty nautica ncc1701 ne1410s ne1469 ne14a69 nellie nelson nemesis nenita neptune nermal nesbit
    nesbitt nestle netware network nevada newlife newpass newport newton newuser newyork nexus6 nfnmzyf nguyen nicarao
    nichole nicola nicolas nicole nicole1 nigger nikita nikola nimrod niners nipple nipples nirvana nissan nofear
    nolimit nomore noodle noodles nookie nopass noriko normal norman norton nothing notta1 notused nouveau novell
    nugget number1 number9 numbers nursing nutmeg nyjets nylons nymets oakland oatmeal oaxaca obiwan october ohshit
    ohyeah oicu812 oilers oksana oldman oliver olivia olivier omarion omega1 onelove online openup oracle orange
    oranges orchid oregon orgasm orioles orlando orville oscar1 osiris outlaw oxford paagal pacers pacific packard
    packer packers packrat pacman painter paladin paloma pamela panama pancake pancho pandora panget pangit pantera
    panther panties panzer paradox parker parola parrot partner pasaway pascal pass123 passat passion passwd passwor
    patches patrick patriot patton pauline payton peaches peanut peanuts pebbles pedro1 peewee pegasus pencil penguin
    pentium people pepper pepper1 pepsi1 perfect person pervert peter1 peterk petunia peugeot phantom philip philips
    philly phishy phoenix photos piano1 pianos picard picasso piccolo pickle pickles picture pierce pierre pigeon
    piglet pikachu pillow pimpin pioneer piper1 pirate pirates pisces pistol pitbull planet plastic playboy player
    players please plumber poetic poetry pogiako poison poiuyt pokemon polaris police polina pollito polska poncho
    pontiac poodle pookey pookie pookie1 pooper poopie poopoo popcorn popeye porsche porter possum postal potato
    potter powder power1 praise prayer prelude premier preston pretty primus prince princes printer private privet
    prodigy psalms psycho public puddin pulsar pumpkin punkin puppies purple purple1 pussies pussy1 pussy69 pussys
    putter pyramid python q12345 q1w2e3 qawsed qaz123 qazqaz qazwsx qazxsw qqq111 quality quebec queenie quentin
    qwaszx qwe123 qweasd qweqwe qwerty qwerty1 qwertyu qwertz rabbit rabbit1 racecar racerx rachel racing racoon
    rafael rafiki raider raiders rainbow raleigh rambler rambo1 rancid random randy1 ranger ranger1 rangers raptor
    raquel rascal rasdzv3 rasta1 raven1 ravens raymond rbhbkk rctybz reality reaper rebecca rebelde rebels red123
    redbull reddog redfish redhead redhot redman redneck redrum redsox redwing redwood reebok reggae reggie regina
    reliant remote reptile rereirf rescue retard reznor rfhbyf rfrfirf rfrnec rhonda ricardo richard ripper ripple
    rjntyjr robbie robert robert1 roberto roberts robocop rocker rocket rocket1 rockets rockie rockon rocky1 rodrigo
    roger1 rogers roland roller rommel ronald ronaldo ronnie rookie rooster rosebud rosita rotimi rotten route66
    rovers roxana rubber rugger runner running ruslan russell russia rustam rusty1 ruthie sabbath sabina sabine
    sabrina safety safety1 saigon sailing sailor saints sakura salmon samiam sammie sammy1 sampson samsam samson
    samsung samuel samurai sandman sandra sandro sandy1 sanjose santos saphire sarah1 sasha1 saskia sasuke satori
    saturn saturn5 sausage savage sayang scarlet school science scooby scooter scorpio scotch scott1 scottie scotty
    scouts scrappy scream scrooge scruffy scuba1 scully search seattle secret secret3 seeker select serega serena
    sergei sergey sergio server service sesame seven7 sex4me sexsex sexual sexyme shadow shadow1 shaggy shakira shalom
    shaman shania shannon shanny shanti shaolin sharks sharon shasta shaved shayne shazam sheena sheila shelby shelley
    shelly shelter shemale sherry shiloh shirley shitty shogun shooter shorty shotgun showme sidney siemens sierra
    signal silver silvia simba1 simone simple simsim sinatra singer single sinner sirius sister sixers skater skeeter
    skibum skidoo skiing skinny skipper skippy skydive skyler skyline slacker slappy slayer sleepy slider smegma
    smile1 smiles smiley smiths smitty smoker smokey smokin smooth smudge smurfy snakes snapper snapple snatch sniper
    snoopy snowman snowski snuffy sobaka sober1 soccer soccer1 soldier soleil solomon sommer sonics sooners sophia
    sophie spankme spanky sparkle sparks sparky sparrow sparta spartak spartan speaker special speedo speedy spencer
    sphynx spider spidey spike1 spirit splash sponge spooky sports spring sprint sprite spunky spyder squash squirt
    ssssss stacey stalker stanley star69 starter station stealth steaua steele stefano stella steph1 stephen stephi
    sterlin steve1 steven steven1 stevens stewart sticks sticky stimpy sting1 stinger stinky stivers stocks stones
    storage stormy strato stretch strider strike striker strong stuart student studio stumpy stupid subaru sublime
    success sucker suckit suckme sultan summer summer1 summit sunbird sunday sunfire sunny1 sunrise sunset super1
    support surfer surfing susan1 susana susanna sutton suzanne suzuki sverige svetik swallow swanson sweden sweet16
    sweetie sweets sweety swimmer swinger switzer swoosh sydney sylvia sylvie symbol system system5 t-bone tabatha
    tacoma taiwan tamara tamtam tanker tanner tapani tardis targas target tarheel tarzan tatiana tattoo tatyana taurus
    taylor tazman tdutybq teacher techno teddy1 teflon tekiero tekken telecom telefon tempest tennis tequila teresa
    terror terry1 test123 tester testing texas1 theatre thebest theboss theend thegame thekid theking theman theone
    theresa therock thomas thomas1 thorne thumper thunder thx1138 tickle tiffany tiger1 tiger2 tigers tigger tigger1
    timber timothy tinker tinman tintin titanic titans titties tolkien tomato tomcat tommy1 tootsie topcat topdog
    topgun topher topper tornado toronto torres toshiba tototo toucan toyota tractor trance transam transit trapper
    travel travis trebor trevor tricia tricky trident trigger trinity tristan triton triumph trixie trojan trojans
    trooper trophy trouble trucker trucks truman trumpet trunks tsunami tucker tucson tuesday tundra turbo2 turkey
    turtle tweety twinkle twisted twister tyler1 ultima undead unicorn unique united unreal upsilon ursula usa123
    utopia vagina valera valeria valerie valley vampire vanessa vanilla vectra vedder vegeta velvet venice veritas
    vermont vernon vertigo vfczyz vfhbyf vfhecz vfksirf vfrcbv vfvekz vfvjxrf victor victor1 victory viking vikings
    vikram viktor vincent violet violin viper1 vipers virago virgil virgin vision visual vitalik vladik volcano volley
    voodoo vortex voyager voyeur vulcan waiting walden walker walleye walnut walter wanker warlock warlord warner
    warren warrior water1 watson wayne1 weasel webster weezer welcome wendy1 wesley western westham whale1 wheels
    whiskey whisky whisper whitney whynot wibble wicked wilbur wildcat william willie willow wilson window windows
    winner winnie winona winston winter wisdom wizard wolfie wolfman wolves wombat wombat1 wonder woodrow woody1
    wookie wright wutang x-files xanadu xavier xbox360 xfiles xtreme xxx123 xxxxxx xyz123 yamaha yankee yankees ybrbnf
    yellow yfnfif yolanda yomama yourmom ytrewq yvette yvonne zachary zapata zaphod zaq123 zaqwsx zaqxsw zebras zenith
    zephyr zepplin zidane zigzag zipper zoltan zombie zoomer zvezda zxc123 zxcasd zxcvbn zxcvbnm
    """#
}

/** A few sentences in each of several languages, with the encodings in which files of that language are found. */

export interface Sentences {
  readonly language: string
  readonly text: string
  /** Labels of the Encoding Standard. */
  readonly encodings: readonly string[]
}

export const sentences: readonly Sentences[] = [
  {
    language: 'German',
    text: 'Die Prüfung der Unterlagen dauert höchstens zwei Wochen. Bitte schicken Sie uns die fehlenden Seiten, damit wir Ihren Antrag schließen können. Für Rückfragen erreichen Sie uns täglich außer sonntags.',
    encodings: ['windows-1252', 'iso-8859-15'],
  },
  {
    language: 'French',
    text: 'La réunion a été déplacée à la semaine prochaine. Veuillez vérifier que les pièces jointes ont bien été reçues, car plusieurs élèves se sont plaints de ne pas pouvoir les ouvrir.',
    encodings: ['windows-1252', 'iso-8859-15'],
  },
  {
    language: 'Spanish',
    text: 'El año pasado la compañía abrió tres oficinas más. Según el informe, también aumentó el número de reuniones, y así será mañana. ¿Cuándo llegará la próxima revisión?',
    encodings: ['windows-1252'],
  },
  {
    language: 'Polish',
    text: 'Każdy pracownik otrzymuje dwadzieścia sześć dni urlopu. Wniosek należy złożyć co najmniej tydzień wcześniej, a kierownik odpowiada na niego w ciągu trzech dni. Później można go jeszcze zmienić.',
    encodings: ['iso-8859-2', 'windows-1250'],
  },
  {
    language: 'Czech',
    text: 'Příručka popisuje, jak zařízení správně připojit a udržovat. Před každým čištěním je třeba přístroj vypnout a odpojit od sítě. Děti smějí zařízení používat pouze pod dohledem dospělých.',
    encodings: ['iso-8859-2', 'windows-1250'],
  },
  {
    language: 'Hungarian',
    text: 'A könyvtár hétköznapokon reggel nyolctól este hétig tart nyitva. Az olvasók egyszerre legfeljebb öt könyvet kölcsönözhetnek, és a határidő előtt meg is hosszabbíthatják a kölcsönzést.',
    encodings: ['iso-8859-2', 'windows-1250'],
  },
  {
    language: 'Russian',
    text: 'Договор вступает в силу со дня его подписания обеими сторонами. Каждая из сторон может расторгнуть его, предупредив другую сторону за тридцать дней. Все споры решаются путём переговоров.',
    encodings: ['windows-1251', 'koi8-r', 'iso-8859-5'],
  },
  {
    language: 'Bulgarian',
    text: 'Работното време на библиотеката е от осем до деветнадесет часа. Читателите могат да вземат до пет книги наведнъж и да удължат срока по телефона. Всички въпроси се решават на място.',
    encodings: ['windows-1251'],
  },
  {
    language: 'Greek',
    text: 'Η βιβλιοθήκη είναι ανοιχτή κάθε μέρα από τις οκτώ το πρωί. Οι αναγνώστες μπορούν να δανειστούν μέχρι πέντε βιβλία και να ανανεώσουν την προθεσμία από το τηλέφωνο.',
    encodings: ['iso-8859-7', 'windows-1253'],
  },
  {
    language: 'Turkish',
    text: 'Kütüphane hafta içi her gün sabah sekizden akşam yediye kadar açıktır. Okuyucular aynı anda en fazla beş kitap ödünç alabilir ve süreyi telefonla uzatabilirler. Çocuklar için ayrı bir bölüm vardır.',
    encodings: ['windows-1254'],
  },
  {
    language: 'Hebrew',
    text: 'הספרייה פתוחה בכל יום משעה שמונה בבוקר עד שבע בערב. כל קורא רשאי לשאול עד חמישה ספרים בכל פעם ולהאריך את מועד ההחזרה בטלפון. לילדים יש אולם קריאה נפרד בקומה השנייה.',
    encodings: ['windows-1255'],
  },
  {
    language: 'Arabic',
    text: 'المكتبة مفتوحة كل يوم من الساعة الثامنة صباحا حتى السابعة مساء. يمكن لكل قارئ أن يستعير خمسة كتب في المرة الواحدة وأن يمدد مدة الإعارة عن طريق الهاتف. يوجد قسم خاص للأطفال في الطابق الثاني.',
    encodings: ['windows-1256', 'iso-8859-6'],
  },
  {
    language: 'Thai',
    text: 'ห้องสมุดเปิดให้บริการทุกวันตั้งแต่แปดโมงเช้าถึงหนึ่งทุ่ม ผู้อ่านแต่ละคนสามารถยืมหนังสือได้ครั้งละไม่เกินห้าเล่ม และขอต่อเวลาได้ทางโทรศัพท์',
    encodings: ['windows-874'],
  },
  {
    language: 'Japanese',
    text: '図書館は毎日午前八時から午後七時まで開いています。利用者は一度に五冊まで本を借りることができ、返却日は電話で延長できます。子どものための部屋は二階にあります。カードをお持ちください。',
    encodings: ['shift_jis', 'euc-jp', 'iso-2022-jp'],
  },
  {
    language: 'Korean',
    text: '도서관은 매일 오전 여덟 시부터 오후 일곱 시까지 문을 엽니다. 이용자는 한 번에 다섯 권까지 책을 빌릴 수 있으며 반납일은 전화로 연장할 수 있습니다. 어린이 열람실은 이 층에 있습니다.',
    encodings: ['euc-kr'],
  },
  {
    language: 'Chinese, simplified',
    text: '图书馆每天早上八点到晚上七点开放。读者一次最多可以借五本书，也可以打电话延长还书的时间。儿童阅览室在二楼。请大家带好自己的借书证，并且保持安静。',
    encodings: ['gbk', 'gb18030'],
  },
  {
    language: 'Chinese, traditional',
    text: '圖書館每天早上八點到晚上七點開放。讀者一次最多可以借五本書，也可以打電話延長還書的時間。兒童閱覽室在二樓。請大家帶好自己的借書證，並且保持安靜。',
    encodings: ['big5'],
  },
]
